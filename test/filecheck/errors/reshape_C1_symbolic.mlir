// RUN: not relax-opt %s 2>&1 | filecheck %s

// 2 * n elements are never 2 * n + 1.

relax.func @f(%x: !relax.tensor<[2, n], f32>, %y: !relax.shape<[2 * n + 1]>) -> !relax.object {
  %r = relax.reshape %x, %y : (!relax.tensor<[2, n], f32>, !relax.shape<[2 * n + 1]>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: reshape_C1_symbolic.mlir:6:8: error: @f: relax.reshape (%r): expected a shape of as many elements as [2, n], which is 2 * n (C1), found [2 * n + 1] of 2 * n + 1; correct the new shape{{$}}
