// RUN: not relax-opt %s 2>&1 | filecheck %s

// There is nothing to take.

relax.func @f(%x: !relax.tensor<[n, 0], f32>) -> !relax.object {
  %r0, %r1 = relax.median %x {axis = array<i64: 1>} : (!relax.tensor<[n, 0], f32>) -> (!relax.tensor<*>, !relax.tensor<*>)
  relax.return %r0 : !relax.tensor<*>
}

// CHECK: median_C4.mlir:6:14: error: @f: relax.median (%r0, %r1): expected at least one element along the axes to reduce (C4), found 0; leave out tensors without elements{{$}}
