// RUN: not relax-opt %s 2>&1 | filecheck %s

// Images have two spatial axes.

relax.func @f(%a: !relax.tensor<[1, 3, 4, 4], f32>, %b: !relax.shape<[5, 5]>, %s: !relax.tensor<[4], f32>) -> !relax.object {
  %r = relax.resize2d %a, %b, %s : (!relax.tensor<[1, 3, 4, 4], f32>, !relax.shape<[5, 5]>, !relax.tensor<[4], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: resize_C9.mlir:6:8: error: @f: relax.resize2d (%r): expected a scale for each of H, W (C9), found 4 and 2; correct 'scales'{{$}}
