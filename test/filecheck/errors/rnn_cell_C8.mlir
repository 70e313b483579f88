// RUN: not relax-opt %s 2>&1 | filecheck %s

// Nothing lies between 1 and -1.

relax.func @f(%x: !relax.tensor<[2, 3], f32>, %h: !relax.tensor<[2, 5], f32>, %w_ih: !relax.tensor<[5, 3], f32>, %w_hh: !relax.tensor<[5, 5], f32>) -> !relax.object {
  %r = relax.rnn_cell %x, %h, %w_ih, %w_hh {clip = -1.0 : f64} : (!relax.tensor<[2, 3], f32>, !relax.tensor<[2, 5], f32>, !relax.tensor<[5, 3], f32>, !relax.tensor<[5, 5], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: rnn_cell_C8.mlir:6:8: error: @f: relax.rnn_cell (%r): expected clip to be at least 0 (C8), found -1.0; correct clip{{$}}
