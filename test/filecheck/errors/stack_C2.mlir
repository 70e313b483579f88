// RUN: not relax-opt %s 2>&1 | filecheck %s

// A vector and a matrix do not stack.

relax.func @f(%x: !relax.tensor<[n], f32>, %y: !relax.tensor<[n, 4], f32>) -> !relax.object {
  %r = relax.stack %x, %y {axis = 0 : i64} : (!relax.tensor<[n], f32>, !relax.tensor<[n, 4], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: stack_C2.mlir:6:8: error: @f: relax.stack (%r): expected tensors of one rank (C2), found 1 and 2; add dimensions with relax.expand_dims{{$}}
