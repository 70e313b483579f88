// RUN: not relax-opt %s 2>&1 | filecheck %s

// Images have two sizes.

relax.func @f(%a: !relax.tensor<[1, 3, 4, 4], f32>, %b: !relax.shape<[5, 5, 5]>) -> !relax.object {
  %r = relax.resize2d %a, %b : (!relax.tensor<[1, 3, 4, 4], f32>, !relax.shape<[5, 5, 5]>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: resize_C4.mlir:6:8: error: @f: relax.resize2d (%r): expected a size for each of H, W (C4), found 3 sizes; correct 'size'{{$}}
