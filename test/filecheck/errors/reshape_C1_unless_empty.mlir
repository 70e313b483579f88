// RUN: not relax-opt %s 2>&1 | filecheck %s

// 1024 * n elements are 960 * n only where there are none.

relax.func @f(%x: !relax.tensor<[n, 16, 64], f32>, %y: !relax.shape<[n, 16, 4, 15]>) -> !relax.object {
  %r = relax.reshape %x, %y : (!relax.tensor<[n, 16, 64], f32>, !relax.shape<[n, 16, 4, 15]>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: reshape_C1_unless_empty.mlir:6:8: error: @f: relax.reshape (%r): expected a shape of as many elements as [n, 16, 64], which is 1024 * n (C1), found [n, 16, 4, 15] of 960 * n; correct the new shape{{$}}
