// RUN: not relax-opt %s 2>&1 | filecheck %s

// The nearest element has no weights to smooth.

relax.func @f(%a: !relax.tensor<[1, 3, 4, 4], f32>, %b: !relax.shape<[5, 5]>) -> !relax.object {
  %r = relax.resize2d %a, %b {method = "nearest_neighbor", antialias = true} : (!relax.tensor<[1, 3, 4, 4], f32>, !relax.shape<[5, 5]>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: resize_C10.mlir:6:8: error: @f: relax.resize2d (%r): expected the method "linear" or "cubic" for antialias (C10), found nearest_neighbor; resize with method "linear" or "cubic", or leave antialias out{{$}}
