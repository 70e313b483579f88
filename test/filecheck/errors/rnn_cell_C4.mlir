// RUN: not relax-opt %s 2>&1 | filecheck %s

// One bias.

relax.func @f(%x: !relax.tensor<[2, 3], f32>, %h: !relax.tensor<[2, 5], f32>, %w_ih: !relax.tensor<[5, 3], f32>, %w_hh: !relax.tensor<[5, 5], f32>, %b_ih: !relax.tensor<[5], f32>) -> !relax.object {
  %r = relax.rnn_cell %x, %h, %w_ih, %w_hh, %b_ih : (!relax.tensor<[2, 3], f32>, !relax.tensor<[2, 5], f32>, !relax.tensor<[5, 3], f32>, !relax.tensor<[5, 5], f32>, !relax.tensor<[5], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: rnn_cell_C4.mlir:6:8: error: @f: relax.rnn_cell (%r): expected two biases or none (C4), found 1; pass b_ih and b_hh, or neither; zeros for a missing one{{$}}
