// RUN: not relax-opt %s 2>&1 | filecheck %s

// An image of no height is none.

relax.func @f(%a: !relax.tensor<[1, 3, 4, 4], f32>, %b: !relax.shape<[0, 5]>) -> !relax.object {
  %r = relax.resize2d %a, %b : (!relax.tensor<[1, 3, 4, 4], f32>, !relax.shape<[0, 5]>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: resize_C3.mlir:6:8: error: @f: relax.resize2d (%r): expected a size of 1 or more along H (C3), found 0; correct 'size'{{$}}
