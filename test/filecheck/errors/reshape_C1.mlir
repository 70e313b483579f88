// RUN: not relax-opt %s 2>&1 | filecheck %s

// 12 elements are not 10.

relax.func @f(%x: !relax.tensor<[3, 4], f32>, %y: !relax.shape<[2, 5]>) -> !relax.object {
  %r = relax.reshape %x, %y : (!relax.tensor<[3, 4], f32>, !relax.shape<[2, 5]>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: reshape_C1.mlir:6:8: error: @f: relax.reshape (%r): expected a shape of as many elements as [3, 4], which is 12 (C1), found [2, 5] of 10; correct the new shape{{$}}
