// RUN: not relax-opt %s 2>&1 | filecheck %s

// A value of a function, used outside of it.

%d = relax.exp %p : (!relax.tensor<[2], f32>) -> !relax.tensor<[2], f32>
relax.func @f(%x: !relax.tensor<[2], f32>) -> !relax.tensor<[2], f32> {
  %p = relax.exp %x : (!relax.tensor<[2], f32>) -> !relax.tensor<[2], f32>
  relax.return %p : !relax.tensor<[2], f32>
}

// CHECK: module_level_operand.mlir:5:6: error: relax.exp: expected operands that ops outside of functions define (V1), found %p of a function; move the op into the function{{$}}
