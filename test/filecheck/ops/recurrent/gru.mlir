// RUN: relax-opt %s | relax-opt | filecheck %s

// CHECK-LABEL: relax.func @static(
// CHECK-NEXT: %ra, %rb = relax.gru %x, %h, %w_ih, %w_hh, %b_ih, %b_hh {direction = "reverse"} : (!relax.tensor<[7, 2, 3], f32>, !relax.tensor<[1, 2, 5], f32>, !relax.tensor<[1, 15, 3], f32>, !relax.tensor<[1, 15, 5], f32>, !relax.tensor<[1, 15], f32>, !relax.tensor<[1, 15], f32>) -> (!relax.tensor<[7, 2, 5], f32>, !relax.tensor<[1, 2, 5], f32>){{$}}
relax.func @static(%x: !relax.tensor<[7, 2, 3], f32>, %h: !relax.tensor<[1, 2, 5], f32>, %w_ih: !relax.tensor<[1, 15, 3], f32>, %w_hh: !relax.tensor<[1, 15, 5], f32>, %b_ih: !relax.tensor<[1, 15], f32>, %b_hh: !relax.tensor<[1, 15], f32>) -> !relax.object {
  %ra, %rb = relax.gru %x, %h, %w_ih, %w_hh, %b_ih, %b_hh {direction = "reverse"} : (!relax.tensor<[7, 2, 3], f32>, !relax.tensor<[1, 2, 5], f32>, !relax.tensor<[1, 15, 3], f32>, !relax.tensor<[1, 15, 5], f32>, !relax.tensor<[1, 15], f32>, !relax.tensor<[1, 15], f32>) -> (!relax.tensor<[7, 2, 5], f32>, !relax.tensor<[1, 2, 5], f32>)
  relax.return %ra : !relax.tensor<[7, 2, 5], f32>
}

// CHECK-LABEL: relax.func @batch_first(
// CHECK-NEXT: %ra, %rb = relax.gru %x, %h, %w_ih, %w_hh {direction = "bidirectional", batch_first = true} : (!relax.tensor<[n, t, m], f64>, !relax.tensor<[2, n, k], f64>, !relax.tensor<[2, 3 * k, m], f64>, !relax.tensor<[2, 3 * k, k], f64>) -> (!relax.tensor<[n, t, 2 * k], f64>, !relax.tensor<[2, n, k], f64>){{$}}
relax.func @batch_first(%x: !relax.tensor<[n, t, m], f64>, %h: !relax.tensor<[2, n, k], f64>, %w_ih: !relax.tensor<[2, 3 * k, m], f64>, %w_hh: !relax.tensor<[2, 3 * k, k], f64>) -> !relax.object {
  %ra, %rb = relax.gru %x, %h, %w_ih, %w_hh {direction = "bidirectional", batch_first = true} : (!relax.tensor<[n, t, m], f64>, !relax.tensor<[2, n, k], f64>, !relax.tensor<[2, 3 * k, m], f64>, !relax.tensor<[2, 3 * k, k], f64>) -> (!relax.tensor<[n, t, 2 * k], f64>, !relax.tensor<[2, n, k], f64>)
  relax.return %ra : !relax.tensor<[n, t, 2 * k], f64>
}

// CHECK-LABEL: relax.func @reset_before(
// CHECK-NEXT: %ra, %rb = relax.gru %x, %h, %w_ih, %w_hh {linear_before_reset = false} : (!relax.tensor<[t, n, 3], f16>, !relax.tensor<[1, n, 5], f16>, !relax.tensor<[1, 15, 3], f16>, !relax.tensor<[1, 15, 5], f16>) -> (!relax.tensor<[t, n, 5], f16>, !relax.tensor<[1, n, 5], f16>){{$}}
relax.func @reset_before(%x: !relax.tensor<[t, n, 3], f16>, %h: !relax.tensor<[1, n, 5], f16>, %w_ih: !relax.tensor<[1, 15, 3], f16>, %w_hh: !relax.tensor<[1, 15, 5], f16>) -> !relax.object {
  %ra, %rb = relax.gru %x, %h, %w_ih, %w_hh {linear_before_reset = false} : (!relax.tensor<[t, n, 3], f16>, !relax.tensor<[1, n, 5], f16>, !relax.tensor<[1, 15, 3], f16>, !relax.tensor<[1, 15, 5], f16>) -> (!relax.tensor<[t, n, 5], f16>, !relax.tensor<[1, n, 5], f16>)
  relax.return %ra : !relax.tensor<[t, n, 5], f16>
}

// CHECK-LABEL: relax.func @unknown_dim(
// CHECK-NEXT: %ra, %rb = relax.gru %x, %h, %w_ih, %w_hh : (!relax.tensor<[t, ?, 3], f32>, !relax.tensor<[1, ?, 5], f32>, !relax.tensor<[1, ?, 3], f32>, !relax.tensor<[1, 15, ?], f32>) -> (!relax.tensor<[t, ?, 5], f32>, !relax.tensor<[1, ?, 5], f32>){{$}}
relax.func @unknown_dim(%x: !relax.tensor<[t, ?, 3], f32>, %h: !relax.tensor<[1, ?, 5], f32>, %w_ih: !relax.tensor<[1, ?, 3], f32>, %w_hh: !relax.tensor<[1, 15, ?], f32>) -> !relax.object {
  %ra, %rb = relax.gru %x, %h, %w_ih, %w_hh : (!relax.tensor<[t, ?, 3], f32>, !relax.tensor<[1, ?, 5], f32>, !relax.tensor<[1, ?, 3], f32>, !relax.tensor<[1, 15, ?], f32>) -> (!relax.tensor<[t, ?, 5], f32>, !relax.tensor<[1, ?, 5], f32>)
  relax.return %ra : !relax.tensor<[t, ?, 5], f32>
}

// CHECK-LABEL: relax.func @unknown_dtype(
// CHECK-NEXT: %ra, %rb = relax.gru %x, %h, %w_ih, %w_hh : (!relax.tensor<[t, n, 3]>, !relax.tensor<[1, n, 5], f32>, !relax.tensor<[1, 15, 3], f32>, !relax.tensor<[1, 15, 5], f32>) -> (!relax.tensor<[t, n, 5]>, !relax.tensor<[1, n, 5]>){{$}}
relax.func @unknown_dtype(%x: !relax.tensor<[t, n, 3]>, %h: !relax.tensor<[1, n, 5], f32>, %w_ih: !relax.tensor<[1, 15, 3], f32>, %w_hh: !relax.tensor<[1, 15, 5], f32>) -> !relax.object {
  %ra, %rb = relax.gru %x, %h, %w_ih, %w_hh : (!relax.tensor<[t, n, 3]>, !relax.tensor<[1, n, 5], f32>, !relax.tensor<[1, 15, 3], f32>, !relax.tensor<[1, 15, 5], f32>) -> (!relax.tensor<[t, n, 5]>, !relax.tensor<[1, n, 5]>)
  relax.return %ra : !relax.tensor<[t, n, 5]>
}
