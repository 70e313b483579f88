// RUN: relax-opt %s | relax-opt | filecheck %s

// CHECK-LABEL: relax.func @static(
// CHECK-NEXT: %r = relax.gru_cell %x, %h, %w_ih, %w_hh, %b_ih, %b_hh : (!relax.tensor<[2, 3], f32>, !relax.tensor<[2, 5], f32>, !relax.tensor<[15, 3], f32>, !relax.tensor<[15, 5], f32>, !relax.tensor<[15], f32>, !relax.tensor<[15], f32>) -> !relax.tensor<[2, 5], f32>{{$}}
relax.func @static(%x: !relax.tensor<[2, 3], f32>, %h: !relax.tensor<[2, 5], f32>, %w_ih: !relax.tensor<[15, 3], f32>, %w_hh: !relax.tensor<[15, 5], f32>, %b_ih: !relax.tensor<[15], f32>, %b_hh: !relax.tensor<[15], f32>) -> !relax.object {
  %r = relax.gru_cell %x, %h, %w_ih, %w_hh, %b_ih, %b_hh : (!relax.tensor<[2, 3], f32>, !relax.tensor<[2, 5], f32>, !relax.tensor<[15, 3], f32>, !relax.tensor<[15, 5], f32>, !relax.tensor<[15], f32>, !relax.tensor<[15], f32>) -> !relax.tensor<[2, 5], f32>
  relax.return %r : !relax.tensor<[2, 5], f32>
}

// CHECK-LABEL: relax.func @reset_before(
// CHECK-NEXT: %r = relax.gru_cell %x, %h, %w_ih, %w_hh {linear_before_reset = false} : (!relax.tensor<[n, m], bf16>, !relax.tensor<[n, k], bf16>, !relax.tensor<[3 * k, m], bf16>, !relax.tensor<[3 * k, k], bf16>) -> !relax.tensor<[n, k], bf16>{{$}}
relax.func @reset_before(%x: !relax.tensor<[n, m], bf16>, %h: !relax.tensor<[n, k], bf16>, %w_ih: !relax.tensor<[3 * k, m], bf16>, %w_hh: !relax.tensor<[3 * k, k], bf16>) -> !relax.object {
  %r = relax.gru_cell %x, %h, %w_ih, %w_hh {linear_before_reset = false} : (!relax.tensor<[n, m], bf16>, !relax.tensor<[n, k], bf16>, !relax.tensor<[3 * k, m], bf16>, !relax.tensor<[3 * k, k], bf16>) -> !relax.tensor<[n, k], bf16>
  relax.return %r : !relax.tensor<[n, k], bf16>
}

// CHECK-LABEL: relax.func @constants_win(
// CHECK-NEXT: %r = relax.gru_cell %x, %h, %w_ih, %w_hh : (!relax.tensor<[n, 3], f32>, !relax.tensor<[2, k], f32>, !relax.tensor<[15, m], f32>, !relax.tensor<[g, 5], f32>) -> !relax.tensor<[2, 5], f32>{{$}}
relax.func @constants_win(%x: !relax.tensor<[n, 3], f32>, %h: !relax.tensor<[2, k], f32>, %w_ih: !relax.tensor<[15, m], f32>, %w_hh: !relax.tensor<[g, 5], f32>) -> !relax.object {
  %r = relax.gru_cell %x, %h, %w_ih, %w_hh : (!relax.tensor<[n, 3], f32>, !relax.tensor<[2, k], f32>, !relax.tensor<[15, m], f32>, !relax.tensor<[g, 5], f32>) -> !relax.tensor<[2, 5], f32>
  relax.return %r : !relax.tensor<[2, 5], f32>
}

// CHECK-LABEL: relax.func @unknown_dim(
// CHECK-NEXT: %r = relax.gru_cell %x, %h, %w_ih, %w_hh : (!relax.tensor<[?, 3], f32>, !relax.tensor<[?, 5], f32>, !relax.tensor<[?, 3], f32>, !relax.tensor<[15, ?], f32>) -> !relax.tensor<[?, 5], f32>{{$}}
relax.func @unknown_dim(%x: !relax.tensor<[?, 3], f32>, %h: !relax.tensor<[?, 5], f32>, %w_ih: !relax.tensor<[?, 3], f32>, %w_hh: !relax.tensor<[15, ?], f32>) -> !relax.object {
  %r = relax.gru_cell %x, %h, %w_ih, %w_hh : (!relax.tensor<[?, 3], f32>, !relax.tensor<[?, 5], f32>, !relax.tensor<[?, 3], f32>, !relax.tensor<[15, ?], f32>) -> !relax.tensor<[?, 5], f32>
  relax.return %r : !relax.tensor<[?, 5], f32>
}

// CHECK-LABEL: relax.func @unknown_dtype(
// CHECK-NEXT: %r = relax.gru_cell %x, %h, %w_ih, %w_hh : (!relax.tensor<[n, 3], f32>, !relax.tensor<[n, 5]>, !relax.tensor<[15, 3]>, !relax.tensor<[15, 5]>) -> !relax.tensor<[n, 5]>{{$}}
relax.func @unknown_dtype(%x: !relax.tensor<[n, 3], f32>, %h: !relax.tensor<[n, 5]>, %w_ih: !relax.tensor<[15, 3]>, %w_hh: !relax.tensor<[15, 5]>) -> !relax.object {
  %r = relax.gru_cell %x, %h, %w_ih, %w_hh : (!relax.tensor<[n, 3], f32>, !relax.tensor<[n, 5]>, !relax.tensor<[15, 3]>, !relax.tensor<[15, 5]>) -> !relax.tensor<[n, 5]>
  relax.return %r : !relax.tensor<[n, 5]>
}

// CHECK-LABEL: relax.func @unknown_rank(
// CHECK-NEXT: %r = relax.gru_cell %x, %h, %w_ih, %w_hh, %b_ih, %b_hh : (!relax.tensor<*>, !relax.tensor<*>, !relax.tensor<*>, !relax.tensor<*>, !relax.tensor<*>, !relax.tensor<*>) -> !relax.tensor<[?, ?]>{{$}}
relax.func @unknown_rank(%x: !relax.tensor<*>, %h: !relax.tensor<*>, %w_ih: !relax.tensor<*>, %w_hh: !relax.tensor<*>, %b_ih: !relax.tensor<*>, %b_hh: !relax.tensor<*>) -> !relax.object {
  %r = relax.gru_cell %x, %h, %w_ih, %w_hh, %b_ih, %b_hh : (!relax.tensor<*>, !relax.tensor<*>, !relax.tensor<*>, !relax.tensor<*>, !relax.tensor<*>, !relax.tensor<*>) -> !relax.tensor<[?, ?]>
  relax.return %r : !relax.tensor<[?, ?]>
}
