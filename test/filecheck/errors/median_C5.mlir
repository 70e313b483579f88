// RUN: not relax-opt %s 2>&1 | filecheck %s

// A median along an axis has a place.

relax.func @f(%x: !relax.tensor<[n, 4], f32>) -> !relax.object {
  %r = relax.median %x {axis = array<i64: 1>} : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: median_C5.mlir:6:8: error: @f: relax.median (%r): expected 2 results (C5), found 1; correct their number{{$}}
