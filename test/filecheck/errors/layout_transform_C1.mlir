// RUN: not relax-opt %s 2>&1 | filecheck %s

// The map is that of a matrix.

relax.func @f(%x: !relax.tensor<[n], f32>) -> !relax.object {
  %r = relax.layout_transform %x {index_map = affine_map<(a, b) -> (b, a)>} : (!relax.tensor<[n], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: layout_transform_C1.mlir:6:8: error: @f: relax.layout_transform (%r): expected an index map of 1 dimensions (C1), found 2; name each dimension of x{{$}}
