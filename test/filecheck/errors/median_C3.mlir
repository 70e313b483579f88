// RUN: not relax-opt %s 2>&1 | filecheck %s

// There is no one place of a median along two axes.

relax.func @f(%x: !relax.tensor<[n, 4], f32>) -> !relax.object {
  %r0, %r1 = relax.median %x {axis = array<i64: 0, 1>} : (!relax.tensor<[n, 4], f32>) -> (!relax.tensor<*>, !relax.tensor<*>)
  relax.return %r0 : !relax.tensor<*>
}

// CHECK: median_C3.mlir:6:14: error: @f: relax.median (%r0, %r1): expected one axis or none (C3), found 2; reshape the tensor first{{$}}
