// RUN: not relax-opt %s 2>&1 | filecheck %s

// A value of a region, used outside of it.

%d = relax.exp %p : (!relax.tensor<[2], f32>) -> !relax.tensor<[2], f32>
scf.execute_region {
  %x = relax.constant dense<1.0> : tensor<2xf32>
  %p = relax.exp %x : (!relax.tensor<[2], f32>) -> !relax.tensor<[2], f32>
  scf.yield
}

// CHECK: module_level_operand.mlir:5:6: error: relax.exp: expected operands that ops of the module define (V1), found %p of a region in it; move the op into that region{{$}}
