// RUN: relax-opt %s | relax-opt | filecheck %s
// RUN: relax-opt %s --print-op-generic | relax-opt | filecheck %s

// CHECK-LABEL: relax.func @symbolic(
// CHECK-NEXT: %r = relax.grid_sample3d %x, %g {method = "nearest", padding_mode = "border", align_corners = true} : (!relax.tensor<[n, c, 4, h, w], f32>, !relax.tensor<[n, k, 2, 3, 3], f32>) -> !relax.tensor<[n, c, k, 2, 3], f32>{{$}}
relax.func @symbolic(%x: !relax.tensor<[n, c, 4, h, w], f32>, %g: !relax.tensor<[n, k, 2, 3, 3], f32>) -> !relax.object {
  %r = relax.grid_sample3d %x, %g {method = "nearest", padding_mode = "border", align_corners = true} : (!relax.tensor<[n, c, 4, h, w], f32>, !relax.tensor<[n, k, 2, 3, 3], f32>) -> !relax.tensor<[n, c, k, 2, 3], f32>
  relax.return %r : !relax.tensor<[n, c, k, 2, 3], f32>
}

// CHECK-LABEL: relax.func @unknown_rank(
// CHECK-NEXT: %r = relax.grid_sample3d %x, %g : (!relax.tensor<*, f32>, !relax.tensor<*, f32>) -> !relax.tensor<[?, ?, ?, ?, ?], f32>{{$}}
relax.func @unknown_rank(%x: !relax.tensor<*, f32>, %g: !relax.tensor<*, f32>) -> !relax.object {
  %r = relax.grid_sample3d %x, %g : (!relax.tensor<*, f32>, !relax.tensor<*, f32>) -> !relax.tensor<[?, ?, ?, ?, ?], f32>
  relax.return %r : !relax.tensor<[?, ?, ?, ?, ?], f32>
}
