// RUN: relax-opt %s | relax-opt | filecheck %s

// CHECK-LABEL: relax.func @static(
// CHECK-NEXT: %ra, %rb = relax.lstm_cell %x, %h, %c, %w_ih, %w_hh, %b_ih, %b_hh : (!relax.tensor<[2, 3], f32>, !relax.tensor<[2, 5], f32>, !relax.tensor<[2, 5], f32>, !relax.tensor<[20, 3], f32>, !relax.tensor<[20, 5], f32>, !relax.tensor<[20], f32>, !relax.tensor<[20], f32>) -> (!relax.tensor<[2, 5], f32>, !relax.tensor<[2, 5], f32>){{$}}
relax.func @static(%x: !relax.tensor<[2, 3], f32>, %h: !relax.tensor<[2, 5], f32>, %c: !relax.tensor<[2, 5], f32>, %w_ih: !relax.tensor<[20, 3], f32>, %w_hh: !relax.tensor<[20, 5], f32>, %b_ih: !relax.tensor<[20], f32>, %b_hh: !relax.tensor<[20], f32>) -> !relax.object {
  %ra, %rb = relax.lstm_cell %x, %h, %c, %w_ih, %w_hh, %b_ih, %b_hh : (!relax.tensor<[2, 3], f32>, !relax.tensor<[2, 5], f32>, !relax.tensor<[2, 5], f32>, !relax.tensor<[20, 3], f32>, !relax.tensor<[20, 5], f32>, !relax.tensor<[20], f32>, !relax.tensor<[20], f32>) -> (!relax.tensor<[2, 5], f32>, !relax.tensor<[2, 5], f32>)
  relax.return %ra : !relax.tensor<[2, 5], f32>
}

// CHECK-LABEL: relax.func @symbolic(
// CHECK-NEXT: %ra, %rb = relax.lstm_cell %x, %h, %c, %w_ih, %w_hh : (!relax.tensor<[n, m], f64>, !relax.tensor<[n, k], f64>, !relax.tensor<[n, k], f64>, !relax.tensor<[4 * k, m], f64>, !relax.tensor<[4 * k, k], f64>) -> (!relax.tensor<[n, k], f64>, !relax.tensor<[n, k], f64>){{$}}
relax.func @symbolic(%x: !relax.tensor<[n, m], f64>, %h: !relax.tensor<[n, k], f64>, %c: !relax.tensor<[n, k], f64>, %w_ih: !relax.tensor<[4 * k, m], f64>, %w_hh: !relax.tensor<[4 * k, k], f64>) -> !relax.object {
  %ra, %rb = relax.lstm_cell %x, %h, %c, %w_ih, %w_hh : (!relax.tensor<[n, m], f64>, !relax.tensor<[n, k], f64>, !relax.tensor<[n, k], f64>, !relax.tensor<[4 * k, m], f64>, !relax.tensor<[4 * k, k], f64>) -> (!relax.tensor<[n, k], f64>, !relax.tensor<[n, k], f64>)
  relax.return %ra : !relax.tensor<[n, k], f64>
}

// CHECK-LABEL: relax.func @unknown_dim(
// CHECK-NEXT: %ra, %rb = relax.lstm_cell %x, %h, %c, %w_ih, %w_hh : (!relax.tensor<[?, 3], f16>, !relax.tensor<[?, ?], f16>, !relax.tensor<[n, k], f16>, !relax.tensor<[?, 3], f16>, !relax.tensor<[?, ?], f16>) -> (!relax.tensor<[n, k], f16>, !relax.tensor<[n, k], f16>){{$}}
relax.func @unknown_dim(%x: !relax.tensor<[?, 3], f16>, %h: !relax.tensor<[?, ?], f16>, %c: !relax.tensor<[n, k], f16>, %w_ih: !relax.tensor<[?, 3], f16>, %w_hh: !relax.tensor<[?, ?], f16>) -> !relax.object {
  %ra, %rb = relax.lstm_cell %x, %h, %c, %w_ih, %w_hh : (!relax.tensor<[?, 3], f16>, !relax.tensor<[?, ?], f16>, !relax.tensor<[n, k], f16>, !relax.tensor<[?, 3], f16>, !relax.tensor<[?, ?], f16>) -> (!relax.tensor<[n, k], f16>, !relax.tensor<[n, k], f16>)
  relax.return %ra : !relax.tensor<[n, k], f16>
}

// CHECK-LABEL: relax.func @unknown_dtype(
// CHECK-NEXT: %ra, %rb = relax.lstm_cell %x, %h, %c, %w_ih, %w_hh : (!relax.tensor<[n, 3]>, !relax.tensor<[n, 5]>, !relax.tensor<[n, 5], f32>, !relax.tensor<[20, 3], f32>, !relax.tensor<[20, 5], f32>) -> (!relax.tensor<[n, 5]>, !relax.tensor<[n, 5]>){{$}}
relax.func @unknown_dtype(%x: !relax.tensor<[n, 3]>, %h: !relax.tensor<[n, 5]>, %c: !relax.tensor<[n, 5], f32>, %w_ih: !relax.tensor<[20, 3], f32>, %w_hh: !relax.tensor<[20, 5], f32>) -> !relax.object {
  %ra, %rb = relax.lstm_cell %x, %h, %c, %w_ih, %w_hh : (!relax.tensor<[n, 3]>, !relax.tensor<[n, 5]>, !relax.tensor<[n, 5], f32>, !relax.tensor<[20, 3], f32>, !relax.tensor<[20, 5], f32>) -> (!relax.tensor<[n, 5]>, !relax.tensor<[n, 5]>)
  relax.return %ra : !relax.tensor<[n, 5]>
}

// CHECK-LABEL: relax.func @unknown_rank(
// CHECK-NEXT: %ra, %rb = relax.lstm_cell %x, %h, %c, %w_ih, %w_hh : (!relax.tensor<*, f32>, !relax.tensor<*, f32>, !relax.tensor<[n, k], f32>, !relax.tensor<*, f32>, !relax.tensor<*, f32>) -> (!relax.tensor<[n, k], f32>, !relax.tensor<[n, k], f32>){{$}}
relax.func @unknown_rank(%x: !relax.tensor<*, f32>, %h: !relax.tensor<*, f32>, %c: !relax.tensor<[n, k], f32>, %w_ih: !relax.tensor<*, f32>, %w_hh: !relax.tensor<*, f32>) -> !relax.object {
  %ra, %rb = relax.lstm_cell %x, %h, %c, %w_ih, %w_hh : (!relax.tensor<*, f32>, !relax.tensor<*, f32>, !relax.tensor<[n, k], f32>, !relax.tensor<*, f32>, !relax.tensor<*, f32>) -> (!relax.tensor<[n, k], f32>, !relax.tensor<[n, k], f32>)
  relax.return %ra : !relax.tensor<[n, k], f32>
}
