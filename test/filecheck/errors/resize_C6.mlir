// RUN: not relax-opt %s 2>&1 | filecheck %s

// There is nothing between two booleans.

relax.func @f(%a: !relax.tensor<[1, 3, 4, 4], i1>, %b: !relax.shape<[5, 5]>) -> !relax.object {
  %r = relax.resize2d %a, %b : (!relax.tensor<[1, 3, 4, 4], i1>, !relax.shape<[5, 5]>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: resize_C6.mlir:6:8: error: @f: relax.resize2d (%r): expected a numeric element type to interpolate (C6), found i1; convert with relax.astype, or resize with method "nearest_neighbor"{{$}}
