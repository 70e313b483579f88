// RUN: relax-opt %s | relax-opt | filecheck %s
// RUN: relax-opt %s --print-op-generic | relax-opt | filecheck %s

// CHECK-LABEL: relax.func @static(
// CHECK-NEXT: %ra, %rb, %rc = relax.lstm %x, %h, %c, %w_ih, %w_hh, %b_ih, %b_hh : (!relax.tensor<[7, 2, 3], f32>, !relax.tensor<[1, 2, 5], f32>, !relax.tensor<[1, 2, 5], f32>, !relax.tensor<[1, 20, 3], f32>, !relax.tensor<[1, 20, 5], f32>, !relax.tensor<[1, 20], f32>, !relax.tensor<[1, 20], f32>) -> (!relax.tensor<[7, 2, 5], f32>, !relax.tensor<[1, 2, 5], f32>, !relax.tensor<[1, 2, 5], f32>){{$}}
relax.func @static(%x: !relax.tensor<[7, 2, 3], f32>, %h: !relax.tensor<[1, 2, 5], f32>, %c: !relax.tensor<[1, 2, 5], f32>, %w_ih: !relax.tensor<[1, 20, 3], f32>, %w_hh: !relax.tensor<[1, 20, 5], f32>, %b_ih: !relax.tensor<[1, 20], f32>, %b_hh: !relax.tensor<[1, 20], f32>) -> !relax.object {
  %ra, %rb, %rc = relax.lstm %x, %h, %c, %w_ih, %w_hh, %b_ih, %b_hh : (!relax.tensor<[7, 2, 3], f32>, !relax.tensor<[1, 2, 5], f32>, !relax.tensor<[1, 2, 5], f32>, !relax.tensor<[1, 20, 3], f32>, !relax.tensor<[1, 20, 5], f32>, !relax.tensor<[1, 20], f32>, !relax.tensor<[1, 20], f32>) -> (!relax.tensor<[7, 2, 5], f32>, !relax.tensor<[1, 2, 5], f32>, !relax.tensor<[1, 2, 5], f32>)
  relax.return %ra : !relax.tensor<[7, 2, 5], f32>
}

// CHECK-LABEL: relax.func @symbolic(
// CHECK-NEXT: %ra, %rb, %rc = relax.lstm %x, %h, %c, %w_ih, %w_hh : (!relax.tensor<[t, n, m], f32>, !relax.tensor<[1, n, k], f32>, !relax.tensor<[1, n, k], f32>, !relax.tensor<[1, 4 * k, m], f32>, !relax.tensor<[1, 4 * k, k], f32>) -> (!relax.tensor<[t, n, k], f32>, !relax.tensor<[1, n, k], f32>, !relax.tensor<[1, n, k], f32>){{$}}
relax.func @symbolic(%x: !relax.tensor<[t, n, m], f32>, %h: !relax.tensor<[1, n, k], f32>, %c: !relax.tensor<[1, n, k], f32>, %w_ih: !relax.tensor<[1, 4 * k, m], f32>, %w_hh: !relax.tensor<[1, 4 * k, k], f32>) -> !relax.object {
  %ra, %rb, %rc = relax.lstm %x, %h, %c, %w_ih, %w_hh : (!relax.tensor<[t, n, m], f32>, !relax.tensor<[1, n, k], f32>, !relax.tensor<[1, n, k], f32>, !relax.tensor<[1, 4 * k, m], f32>, !relax.tensor<[1, 4 * k, k], f32>) -> (!relax.tensor<[t, n, k], f32>, !relax.tensor<[1, n, k], f32>, !relax.tensor<[1, n, k], f32>)
  relax.return %ra : !relax.tensor<[t, n, k], f32>
}

// CHECK-LABEL: relax.func @both_batch_first(
// CHECK-NEXT: %ra, %rb, %rc = relax.lstm %x, %h, %c, %w_ih, %w_hh {direction = "bidirectional", batch_first = true} : (!relax.tensor<[n, t, 3], bf16>, !relax.tensor<[2, n, 5], bf16>, !relax.tensor<[2, n, 5], bf16>, !relax.tensor<[2, 20, 3], bf16>, !relax.tensor<[2, 20, 5], bf16>) -> (!relax.tensor<[n, t, 10], bf16>, !relax.tensor<[2, n, 5], bf16>, !relax.tensor<[2, n, 5], bf16>){{$}}
relax.func @both_batch_first(%x: !relax.tensor<[n, t, 3], bf16>, %h: !relax.tensor<[2, n, 5], bf16>, %c: !relax.tensor<[2, n, 5], bf16>, %w_ih: !relax.tensor<[2, 20, 3], bf16>, %w_hh: !relax.tensor<[2, 20, 5], bf16>) -> !relax.object {
  %ra, %rb, %rc = relax.lstm %x, %h, %c, %w_ih, %w_hh {direction = "bidirectional", batch_first = true} : (!relax.tensor<[n, t, 3], bf16>, !relax.tensor<[2, n, 5], bf16>, !relax.tensor<[2, n, 5], bf16>, !relax.tensor<[2, 20, 3], bf16>, !relax.tensor<[2, 20, 5], bf16>) -> (!relax.tensor<[n, t, 10], bf16>, !relax.tensor<[2, n, 5], bf16>, !relax.tensor<[2, n, 5], bf16>)
  relax.return %ra : !relax.tensor<[n, t, 10], bf16>
}

// CHECK-LABEL: relax.func @unknown_dim(
// CHECK-NEXT: %ra, %rb, %rc = relax.lstm %x, %h, %c, %w_ih, %w_hh : (!relax.tensor<[t, n, ?], f32>, !relax.tensor<[1, ?, ?], f32>, !relax.tensor<[1, n, 5], f32>, !relax.tensor<[1, 20, ?], f32>, !relax.tensor<[1, ?, ?], f32>) -> (!relax.tensor<[t, n, 5], f32>, !relax.tensor<[1, n, 5], f32>, !relax.tensor<[1, n, 5], f32>){{$}}
relax.func @unknown_dim(%x: !relax.tensor<[t, n, ?], f32>, %h: !relax.tensor<[1, ?, ?], f32>, %c: !relax.tensor<[1, n, 5], f32>, %w_ih: !relax.tensor<[1, 20, ?], f32>, %w_hh: !relax.tensor<[1, ?, ?], f32>) -> !relax.object {
  %ra, %rb, %rc = relax.lstm %x, %h, %c, %w_ih, %w_hh : (!relax.tensor<[t, n, ?], f32>, !relax.tensor<[1, ?, ?], f32>, !relax.tensor<[1, n, 5], f32>, !relax.tensor<[1, 20, ?], f32>, !relax.tensor<[1, ?, ?], f32>) -> (!relax.tensor<[t, n, 5], f32>, !relax.tensor<[1, n, 5], f32>, !relax.tensor<[1, n, 5], f32>)
  relax.return %ra : !relax.tensor<[t, n, 5], f32>
}

// CHECK-LABEL: relax.func @unknown_rank(
// CHECK-NEXT: %ra, %rb, %rc = relax.lstm %x, %h, %c, %w_ih, %w_hh : (!relax.tensor<[t, n, 3], f32>, !relax.tensor<*, f32>, !relax.tensor<*, f32>, !relax.tensor<*, f32>, !relax.tensor<*, f32>) -> (!relax.tensor<[t, n, ?], f32>, !relax.tensor<[1, n, ?], f32>, !relax.tensor<[1, n, ?], f32>){{$}}
relax.func @unknown_rank(%x: !relax.tensor<[t, n, 3], f32>, %h: !relax.tensor<*, f32>, %c: !relax.tensor<*, f32>, %w_ih: !relax.tensor<*, f32>, %w_hh: !relax.tensor<*, f32>) -> !relax.object {
  %ra, %rb, %rc = relax.lstm %x, %h, %c, %w_ih, %w_hh : (!relax.tensor<[t, n, 3], f32>, !relax.tensor<*, f32>, !relax.tensor<*, f32>, !relax.tensor<*, f32>, !relax.tensor<*, f32>) -> (!relax.tensor<[t, n, ?], f32>, !relax.tensor<[1, n, ?], f32>, !relax.tensor<[1, n, ?], f32>)
  relax.return %ra : !relax.tensor<[t, n, ?], f32>
}

// CHECK-LABEL: relax.func @lengths_and_peepholes(
// CHECK-NEXT: %ra, %rb, %rc = relax.lstm %x, %h, %c, %w_ih, %w_hh, %b_ih, %b_hh, %lengths, %peepholes {activations = "sigmoid elu(0.5) tanh", clip = 2.000000e+00 : f64, direction = "bidirectional", input_forget = true} : (!relax.tensor<[t, n, 3], f32>, !relax.tensor<[2, n, 5], f32>, !relax.tensor<[2, n, 5], f32>, !relax.tensor<[2, 20, 3], f32>, !relax.tensor<[2, 20, 5], f32>, !relax.tensor<[2, 20], f32>, !relax.tensor<[2, 20], f32>, !relax.tensor<[n], i32>, !relax.tensor<[2, 15], f32>) -> (!relax.tensor<[t, n, 10], f32>, !relax.tensor<[2, n, 5], f32>, !relax.tensor<[2, n, 5], f32>){{$}}
relax.func @lengths_and_peepholes(%x: !relax.tensor<[t, n, 3], f32>, %h: !relax.tensor<[2, n, 5], f32>, %c: !relax.tensor<[2, n, 5], f32>, %w_ih: !relax.tensor<[2, 20, 3], f32>, %w_hh: !relax.tensor<[2, 20, 5], f32>, %b_ih: !relax.tensor<[2, 20], f32>, %b_hh: !relax.tensor<[2, 20], f32>, %lengths: !relax.tensor<[n], i32>, %peepholes: !relax.tensor<[2, 15], f32>) -> !relax.object {
  %ra, %rb, %rc = relax.lstm %x, %h, %c, %w_ih, %w_hh, %b_ih, %b_hh, %lengths, %peepholes {activations = "sigmoid elu(0.5) tanh", clip = 2.000000e+00 : f64, direction = "bidirectional", input_forget = true} : (!relax.tensor<[t, n, 3], f32>, !relax.tensor<[2, n, 5], f32>, !relax.tensor<[2, n, 5], f32>, !relax.tensor<[2, 20, 3], f32>, !relax.tensor<[2, 20, 5], f32>, !relax.tensor<[2, 20], f32>, !relax.tensor<[2, 20], f32>, !relax.tensor<[n], i32>, !relax.tensor<[2, 15], f32>) -> (!relax.tensor<[t, n, 10], f32>, !relax.tensor<[2, n, 5], f32>, !relax.tensor<[2, n, 5], f32>)
  relax.return %ra : !relax.tensor<[t, n, 10], f32>
}
