// RUN: relax-opt %s | relax-opt | filecheck %s

// CHECK-LABEL: relax.func @static(
// CHECK-NEXT: %r = relax.affine_grid %a, %b {align_corners = true} : (!relax.tensor<[2, 2, 3], f32>, !relax.shape<[4, 5]>) -> !relax.tensor<[2, 2, 4, 5], f32>{{$}}
relax.func @static(%a: !relax.tensor<[2, 2, 3], f32>, %b: !relax.shape<[4, 5]>) -> !relax.object {
  %r = relax.affine_grid %a, %b {align_corners = true} : (!relax.tensor<[2, 2, 3], f32>, !relax.shape<[4, 5]>) -> !relax.tensor<[2, 2, 4, 5], f32>
  relax.return %r : !relax.tensor<[2, 2, 4, 5], f32>
}

// CHECK-LABEL: relax.func @symbolic(
// CHECK-NEXT: %r = relax.affine_grid %a, %b {align_corners = false} : (!relax.tensor<[b, 3, 4], f64>, !relax.shape<[d, h, w]>) -> !relax.tensor<[b, 3, d, h, w], f64>{{$}}
relax.func @symbolic(%a: !relax.tensor<[b, 3, 4], f64>, %b: !relax.shape<[d, h, w]>) -> !relax.object {
  %r = relax.affine_grid %a, %b {align_corners = false} : (!relax.tensor<[b, 3, 4], f64>, !relax.shape<[d, h, w]>) -> !relax.tensor<[b, 3, d, h, w], f64>
  relax.return %r : !relax.tensor<[b, 3, d, h, w], f64>
}

// CHECK-LABEL: relax.func @unknown_dim(
// CHECK-NEXT: %r = relax.affine_grid %a, %b : (!relax.tensor<[?, 2, ?]>, !relax.shape<[h, w]>) -> !relax.tensor<[?, 2, h, w]>{{$}}
relax.func @unknown_dim(%a: !relax.tensor<[?, 2, ?]>, %b: !relax.shape<[h, w]>) -> !relax.object {
  %r = relax.affine_grid %a, %b : (!relax.tensor<[?, 2, ?]>, !relax.shape<[h, w]>) -> !relax.tensor<[?, 2, h, w]>
  relax.return %r : !relax.tensor<[?, 2, h, w]>
}

// CHECK-LABEL: relax.func @unknown_rank(
// CHECK-NEXT: %r = relax.affine_grid %a, %b : (!relax.tensor<*, f32>, !relax.shape<[h, w]>) -> !relax.tensor<[?, 2, h, w], f32>{{$}}
relax.func @unknown_rank(%a: !relax.tensor<*, f32>, %b: !relax.shape<[h, w]>) -> !relax.object {
  %r = relax.affine_grid %a, %b : (!relax.tensor<*, f32>, !relax.shape<[h, w]>) -> !relax.tensor<[?, 2, h, w], f32>
  relax.return %r : !relax.tensor<[?, 2, h, w], f32>
}

// CHECK-LABEL: relax.func @unknown_size(
// CHECK-NEXT: %r = relax.affine_grid %a, %b : (!relax.tensor<[b, 2, 3], f32>, !relax.shape<*>) -> !relax.tensor<*, f32>{{$}}
relax.func @unknown_size(%a: !relax.tensor<[b, 2, 3], f32>, %b: !relax.shape<*>) -> !relax.object {
  %r = relax.affine_grid %a, %b : (!relax.tensor<[b, 2, 3], f32>, !relax.shape<*>) -> !relax.tensor<*, f32>
  relax.return %r : !relax.tensor<*, f32>
}
