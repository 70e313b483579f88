// RUN: not relax-opt %s 2>&1 | filecheck %s

// The places in the blocks are lost.

relax.func @f(%x: !relax.tensor<[n, m], f32>) -> !relax.object {
  %r = relax.layout_transform %x {index_map = affine_map<(a, b) -> (a, b floordiv 4)>} : (!relax.tensor<[n, m], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: layout_transform_C2.mlir:6:8: error: @f: relax.layout_transform (%r): expected each dimension once: whole, as d floordiv k with d mod k, or in d * k + e (C2), found (d0, d1) -> (d0, (d1 floordiv 4)); correct the map{{$}}
