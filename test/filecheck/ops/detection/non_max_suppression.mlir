// RUN: relax-opt %s | relax-opt | filecheck %s

// CHECK-LABEL: relax.func @indices(
// CHECK-NEXT: %r0, %r1 = relax.non_max_suppression %x, %c, %i : (!relax.tensor<[b, n, 6], f32>, !relax.tensor<[b], i32>, !relax.tensor<[b, n], i32>) -> (!relax.tensor<[b, n], i32>, !relax.tensor<[b, 1], i32>){{$}}
relax.func @indices(%x: !relax.tensor<[b, n, 6], f32>, %c: !relax.tensor<[b], i32>, %i: !relax.tensor<[b, n], i32>) -> !relax.object {
  %r0, %r1 = relax.non_max_suppression %x, %c, %i : (!relax.tensor<[b, n, 6], f32>, !relax.tensor<[b], i32>, !relax.tensor<[b, n], i32>) -> (!relax.tensor<[b, n], i32>, !relax.tensor<[b, 1], i32>)
  relax.return %r0 : !relax.tensor<[b, n], i32>
}

// CHECK-LABEL: relax.func @boxes(
// CHECK-NEXT: %r = relax.non_max_suppression %x, %c, %i {return_indices = false, invalid_to_bottom = true} : (!relax.tensor<[b, n, 6], f32>, !relax.tensor<[b], i32>, !relax.tensor<[b, n], i32>) -> !relax.tensor<[b, n, 6], f32>{{$}}
relax.func @boxes(%x: !relax.tensor<[b, n, 6], f32>, %c: !relax.tensor<[b], i32>, %i: !relax.tensor<[b, n], i32>) -> !relax.object {
  %r = relax.non_max_suppression %x, %c, %i {return_indices = false, invalid_to_bottom = true} : (!relax.tensor<[b, n, 6], f32>, !relax.tensor<[b], i32>, !relax.tensor<[b, n], i32>) -> !relax.tensor<[b, n, 6], f32>
  relax.return %r : !relax.tensor<[b, n, 6], f32>
}

// CHECK-LABEL: relax.func @soft(
// CHECK-NEXT: %r0, %r1, %r2 = relax.non_max_suppression %x, %c, %i {iou_threshold = 1.000000e+00 : f64, soft_nms_sigma = 5.000000e-01 : f64, score_threshold = 1.000000e-01 : f64} : (!relax.tensor<[b, n, 6], f32>, !relax.tensor<[b], i64>, !relax.tensor<[b, n], i32>) -> (!relax.tensor<[b, n, 6], f32>, !relax.tensor<[b, n], i32>, !relax.tensor<[b, 1], i32>){{$}}
relax.func @soft(%x: !relax.tensor<[b, n, 6], f32>, %c: !relax.tensor<[b], i64>, %i: !relax.tensor<[b, n], i32>) -> !relax.object {
  %r0, %r1, %r2 = relax.non_max_suppression %x, %c, %i {iou_threshold = 1.000000e+00 : f64, soft_nms_sigma = 5.000000e-01 : f64, score_threshold = 1.000000e-01 : f64} : (!relax.tensor<[b, n, 6], f32>, !relax.tensor<[b], i64>, !relax.tensor<[b, n], i32>) -> (!relax.tensor<[b, n, 6], f32>, !relax.tensor<[b, n], i32>, !relax.tensor<[b, 1], i32>)
  relax.return %r0 : !relax.tensor<[b, n, 6], f32>
}

// CHECK-LABEL: relax.func @unknown(
// CHECK-NEXT: %r0, %r1 = relax.non_max_suppression %x, %c, %i {max_output_size = 3 : i64, top_k = 5 : i64} : (!relax.tensor<*, f32>, !relax.tensor<*>, !relax.tensor<*>) -> (!relax.tensor<[?, ?], i32>, !relax.tensor<[?, 1], i32>){{$}}
relax.func @unknown(%x: !relax.tensor<*, f32>, %c: !relax.tensor<*>, %i: !relax.tensor<*>) -> !relax.object {
  %r0, %r1 = relax.non_max_suppression %x, %c, %i {max_output_size = 3 : i64, top_k = 5 : i64} : (!relax.tensor<*, f32>, !relax.tensor<*>, !relax.tensor<*>) -> (!relax.tensor<[?, ?], i32>, !relax.tensor<[?, 1], i32>)
  relax.return %r0 : !relax.tensor<[?, ?], i32>
}
