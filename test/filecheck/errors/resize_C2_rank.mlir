// RUN: not relax-opt %s 2>&1 | filecheck %s

// Images have four axes.

relax.func @f(%a: !relax.tensor<[3, 4, 4], f32>, %b: !relax.shape<[5, 5]>) -> !relax.object {
  %r = relax.resize2d %a, %b : (!relax.tensor<[3, 4, 4], f32>, !relax.shape<[5, 5]>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: resize_C2_rank.mlir:6:8: error: @f: relax.resize2d (%r): expected 'x' to have one axis for each letter of NCHW (C2), found [3, 4, 4]; reshape it, or use the operator of that rank{{$}}
