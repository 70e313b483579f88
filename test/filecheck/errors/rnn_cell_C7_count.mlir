// RUN: not relax-opt %s 2>&1 | filecheck %s

// A network of one direction has one function here.

relax.func @f(%x: !relax.tensor<[2, 3], f32>, %h: !relax.tensor<[2, 5], f32>, %w_ih: !relax.tensor<[5, 3], f32>, %w_hh: !relax.tensor<[5, 5], f32>) -> !relax.object {
  %r = relax.rnn_cell %x, %h, %w_ih, %w_hh {activations = "tanh tanh"} : (!relax.tensor<[2, 3], f32>, !relax.tensor<[2, 5], f32>, !relax.tensor<[5, 3], f32>, !relax.tensor<[5, 5], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: rnn_cell_C7_count.mlir:6:8: error: @f: relax.rnn_cell (%r): expected 1 activations, or as many for each direction (C7), found 2; list them as in "tanh"{{$}}
