// RUN: not relax-opt %s 2>&1 | filecheck %s

// The result has rank 2.

relax.func @f(%x: !relax.tensor<[n], f32>, %y: !relax.tensor<[n], f32>) -> !relax.object {
  %r = relax.stack %x, %y {axis = 2 : i64} : (!relax.tensor<[n], f32>, !relax.tensor<[n], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: stack_C3.mlir:6:8: error: @f: relax.stack (%r): expected an axis from -2 to 1 for a tensor of rank 2 (C3), found 2; axes count from zero, negative ones from the end{{$}}
