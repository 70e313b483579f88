// RUN: relax-opt %s -p relax-legalize,relax-fuse-elementwise,relax-bufferize,'relax-schedule{cpu=x86-64-v3}' | filecheck %s

// Rows of many samples are one dimension in memory, and fill tiles together; the bias has neither dimension.

// CHECK:       func.func private @linear(
// CHECK:         %[[X:.*]] = memref.collapse_shape %x {{\[\[}}0 : i64, 1 : i64], [2 : i64]] : memref<?x?x64xf32> into memref<?x64xf32>
// CHECK:           memref.subview %[[X]][%i0{{.*}}, 0] [%n0{{.*}}, 64] [1, 1]
// CHECK:           linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>]
relax.func @samples(%x: !relax.tensor<[t, n, 64], f32>, %w: !relax.tensor<[24, 64], f32>, %b: !relax.tensor<[24], f32>) -> !relax.tensor<[t, n, 24], f32> {
  %0 = relax.linear %x, %w, %b : (!relax.tensor<[t, n, 64], f32>, !relax.tensor<[24, 64], f32>, !relax.tensor<[24], f32>) -> !relax.tensor<[t, n, 24], f32>
  relax.return %0 : !relax.tensor<[t, n, 24], f32>
}

// What follows reads the same rows in every sample: the loops stay two.

// CHECK:       func.func private @linear_add(
// CHECK-NOT:     memref.collapse_shape
// CHECK:       func.func private @contract
relax.func @rows(%x: !relax.tensor<[t, n, 64], f32>, %w: !relax.tensor<[24, 64], f32>, %b: !relax.tensor<[n, 24], f32>) -> !relax.tensor<[t, n, 24], f32> {
  %0 = relax.linear %x, %w : (!relax.tensor<[t, n, 64], f32>, !relax.tensor<[24, 64], f32>) -> !relax.tensor<[t, n, 24], f32>
  %1 = relax.add %0, %b : (!relax.tensor<[t, n, 24], f32>, !relax.tensor<[n, 24], f32>) -> !relax.tensor<[t, n, 24], f32>
  relax.return %1 : !relax.tensor<[t, n, 24], f32>
}
