// RUN: not relax-opt %s 2>&1 | filecheck %s

// Rows of 5 are no blocks of 4.

relax.func @f(%x: !relax.tensor<[n, 5], f32>) -> !relax.object {
  %r = relax.layout_transform %x {index_map = affine_map<(a, b) -> (a * 4 + b)>} : (!relax.tensor<[n, 5], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: layout_transform_C3.mlir:6:8: error: @f: relax.layout_transform (%r): expected dimension 1 of x to have the size 4 (C3), found 5; correct the map{{$}}
