// RUN: relax-opt %s | relax-opt | filecheck %s

// CHECK-LABEL: relax.func @static(
// CHECK-NEXT: %r = relax.grid_sample %a, %b : (!relax.tensor<[2, 3, 8, 6], f32>, !relax.tensor<[2, 5, 7, 2], f32>) -> !relax.tensor<[2, 3, 5, 7], f32>{{$}}
relax.func @static(%a: !relax.tensor<[2, 3, 8, 6], f32>, %b: !relax.tensor<[2, 5, 7, 2], f32>) -> !relax.object {
  %r = relax.grid_sample %a, %b : (!relax.tensor<[2, 3, 8, 6], f32>, !relax.tensor<[2, 5, 7, 2], f32>) -> !relax.tensor<[2, 3, 5, 7], f32>
  relax.return %r : !relax.tensor<[2, 3, 5, 7], f32>
}

// CHECK-LABEL: relax.func @symbolic(
// CHECK-NEXT: %r = relax.grid_sample %a, %b {method = "bicubic", padding_mode = "reflection", align_corners = true} : (!relax.tensor<[b, c, h, w], f16>, !relax.tensor<[b, n, m, 2], f16>) -> !relax.tensor<[b, c, n, m], f16>{{$}}
relax.func @symbolic(%a: !relax.tensor<[b, c, h, w], f16>, %b: !relax.tensor<[b, n, m, 2], f16>) -> !relax.object {
  %r = relax.grid_sample %a, %b {method = "bicubic", padding_mode = "reflection", align_corners = true} : (!relax.tensor<[b, c, h, w], f16>, !relax.tensor<[b, n, m, 2], f16>) -> !relax.tensor<[b, c, n, m], f16>
  relax.return %r : !relax.tensor<[b, c, n, m], f16>
}

// CHECK-LABEL: relax.func @channels_last(
// CHECK-NEXT: %r = relax.grid_sample %a, %b {method = "nearest", layout = "NHWC", padding_mode = "border"} : (!relax.tensor<[b, h, w, 4], f64>, !relax.tensor<[b, n, m, 2], f64>) -> !relax.tensor<[b, n, m, 4], f64>{{$}}
relax.func @channels_last(%a: !relax.tensor<[b, h, w, 4], f64>, %b: !relax.tensor<[b, n, m, 2], f64>) -> !relax.object {
  %r = relax.grid_sample %a, %b {method = "nearest", layout = "NHWC", padding_mode = "border"} : (!relax.tensor<[b, h, w, 4], f64>, !relax.tensor<[b, n, m, 2], f64>) -> !relax.tensor<[b, n, m, 4], f64>
  relax.return %r : !relax.tensor<[b, n, m, 4], f64>
}

// CHECK-LABEL: relax.func @unknown_dim(
// CHECK-NEXT: %r = relax.grid_sample %a, %b : (!relax.tensor<[?, 3, ?, ?]>, !relax.tensor<[b, n, ?, ?]>) -> !relax.tensor<[b, 3, n, ?]>{{$}}
relax.func @unknown_dim(%a: !relax.tensor<[?, 3, ?, ?]>, %b: !relax.tensor<[b, n, ?, ?]>) -> !relax.object {
  %r = relax.grid_sample %a, %b : (!relax.tensor<[?, 3, ?, ?]>, !relax.tensor<[b, n, ?, ?]>) -> !relax.tensor<[b, 3, n, ?]>
  relax.return %r : !relax.tensor<[b, 3, n, ?]>
}

// CHECK-LABEL: relax.func @unknown_rank(
// CHECK-NEXT: %r = relax.grid_sample %a, %b : (!relax.tensor<*, f32>, !relax.tensor<*, f32>) -> !relax.tensor<[?, ?, ?, ?], f32>{{$}}
relax.func @unknown_rank(%a: !relax.tensor<*, f32>, %b: !relax.tensor<*, f32>) -> !relax.object {
  %r = relax.grid_sample %a, %b : (!relax.tensor<*, f32>, !relax.tensor<*, f32>) -> !relax.tensor<[?, ?, ?, ?], f32>
  relax.return %r : !relax.tensor<[?, ?, ?, ?], f32>
}
