// RUN: relax-opt %s | relax-opt | filecheck %s

// CHECK-LABEL: relax.func @static(
// CHECK-NEXT: %ra, %rb = relax.rnn %x, %h, %w_ih, %w_hh, %b_ih, %b_hh : (!relax.tensor<[7, 2, 3], f32>, !relax.tensor<[1, 2, 5], f32>, !relax.tensor<[1, 5, 3], f32>, !relax.tensor<[1, 5, 5], f32>, !relax.tensor<[1, 5], f32>, !relax.tensor<[1, 5], f32>) -> (!relax.tensor<[7, 2, 5], f32>, !relax.tensor<[1, 2, 5], f32>){{$}}
relax.func @static(%x: !relax.tensor<[7, 2, 3], f32>, %h: !relax.tensor<[1, 2, 5], f32>, %w_ih: !relax.tensor<[1, 5, 3], f32>, %w_hh: !relax.tensor<[1, 5, 5], f32>, %b_ih: !relax.tensor<[1, 5], f32>, %b_hh: !relax.tensor<[1, 5], f32>) -> !relax.object {
  %ra, %rb = relax.rnn %x, %h, %w_ih, %w_hh, %b_ih, %b_hh : (!relax.tensor<[7, 2, 3], f32>, !relax.tensor<[1, 2, 5], f32>, !relax.tensor<[1, 5, 3], f32>, !relax.tensor<[1, 5, 5], f32>, !relax.tensor<[1, 5], f32>, !relax.tensor<[1, 5], f32>) -> (!relax.tensor<[7, 2, 5], f32>, !relax.tensor<[1, 2, 5], f32>)
  relax.return %ra : !relax.tensor<[7, 2, 5], f32>
}

// CHECK-LABEL: relax.func @symbolic(
// CHECK-NEXT: %ra, %rb = relax.rnn %x, %h, %w_ih, %w_hh {nonlinearity = "relu", direction = "reverse"} : (!relax.tensor<[t, n, m], f64>, !relax.tensor<[1, n, k], f64>, !relax.tensor<[1, k, m], f64>, !relax.tensor<[1, k, k], f64>) -> (!relax.tensor<[t, n, k], f64>, !relax.tensor<[1, n, k], f64>){{$}}
relax.func @symbolic(%x: !relax.tensor<[t, n, m], f64>, %h: !relax.tensor<[1, n, k], f64>, %w_ih: !relax.tensor<[1, k, m], f64>, %w_hh: !relax.tensor<[1, k, k], f64>) -> !relax.object {
  %ra, %rb = relax.rnn %x, %h, %w_ih, %w_hh {nonlinearity = "relu", direction = "reverse"} : (!relax.tensor<[t, n, m], f64>, !relax.tensor<[1, n, k], f64>, !relax.tensor<[1, k, m], f64>, !relax.tensor<[1, k, k], f64>) -> (!relax.tensor<[t, n, k], f64>, !relax.tensor<[1, n, k], f64>)
  relax.return %ra : !relax.tensor<[t, n, k], f64>
}

// CHECK-LABEL: relax.func @both(
// CHECK-NEXT: %ra, %rb = relax.rnn %x, %h, %w_ih, %w_hh {direction = "bidirectional"} : (!relax.tensor<[t, n, 3], f32>, !relax.tensor<[2, n, k], f32>, !relax.tensor<[2, k, 3], f32>, !relax.tensor<[2, k, k], f32>) -> (!relax.tensor<[t, n, 2 * k], f32>, !relax.tensor<[2, n, k], f32>){{$}}
relax.func @both(%x: !relax.tensor<[t, n, 3], f32>, %h: !relax.tensor<[2, n, k], f32>, %w_ih: !relax.tensor<[2, k, 3], f32>, %w_hh: !relax.tensor<[2, k, k], f32>) -> !relax.object {
  %ra, %rb = relax.rnn %x, %h, %w_ih, %w_hh {direction = "bidirectional"} : (!relax.tensor<[t, n, 3], f32>, !relax.tensor<[2, n, k], f32>, !relax.tensor<[2, k, 3], f32>, !relax.tensor<[2, k, k], f32>) -> (!relax.tensor<[t, n, 2 * k], f32>, !relax.tensor<[2, n, k], f32>)
  relax.return %ra : !relax.tensor<[t, n, 2 * k], f32>
}

// CHECK-LABEL: relax.func @unknown_dim(
// CHECK-NEXT: %ra, %rb = relax.rnn %x, %h, %w_ih, %w_hh : (!relax.tensor<[?, ?, 3], f32>, !relax.tensor<[?, n, ?], f32>, !relax.tensor<[?, ?, 3], f32>, !relax.tensor<[?, ?, 5], f32>) -> (!relax.tensor<[?, n, 5], f32>, !relax.tensor<[1, n, 5], f32>){{$}}
relax.func @unknown_dim(%x: !relax.tensor<[?, ?, 3], f32>, %h: !relax.tensor<[?, n, ?], f32>, %w_ih: !relax.tensor<[?, ?, 3], f32>, %w_hh: !relax.tensor<[?, ?, 5], f32>) -> !relax.object {
  %ra, %rb = relax.rnn %x, %h, %w_ih, %w_hh : (!relax.tensor<[?, ?, 3], f32>, !relax.tensor<[?, n, ?], f32>, !relax.tensor<[?, ?, 3], f32>, !relax.tensor<[?, ?, 5], f32>) -> (!relax.tensor<[?, n, 5], f32>, !relax.tensor<[1, n, 5], f32>)
  relax.return %ra : !relax.tensor<[?, n, 5], f32>
}

// CHECK-LABEL: relax.func @unknown_rank(
// CHECK-NEXT: %ra, %rb = relax.rnn %x, %h, %w_ih, %w_hh {direction = "bidirectional"} : (!relax.tensor<*>, !relax.tensor<*, f32>, !relax.tensor<*, f32>, !relax.tensor<*, f32>) -> (!relax.tensor<[?, ?, ?]>, !relax.tensor<[2, ?, ?]>){{$}}
relax.func @unknown_rank(%x: !relax.tensor<*>, %h: !relax.tensor<*, f32>, %w_ih: !relax.tensor<*, f32>, %w_hh: !relax.tensor<*, f32>) -> !relax.object {
  %ra, %rb = relax.rnn %x, %h, %w_ih, %w_hh {direction = "bidirectional"} : (!relax.tensor<*>, !relax.tensor<*, f32>, !relax.tensor<*, f32>, !relax.tensor<*, f32>) -> (!relax.tensor<[?, ?, ?]>, !relax.tensor<[2, ?, ?]>)
  relax.return %ra : !relax.tensor<[?, ?, ?]>
}
