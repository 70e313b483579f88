// RUN: not relax-opt %s 2>&1 | filecheck %s

// There is no such function.

relax.func @f(%x: !relax.tensor<[2, 3], f32>, %h: !relax.tensor<[2, 5], f32>, %w_ih: !relax.tensor<[5, 3], f32>, %w_hh: !relax.tensor<[5, 5], f32>) -> !relax.object {
  %r = relax.rnn_cell %x, %h, %w_ih, %w_hh {activations = "gelu"} : (!relax.tensor<[2, 3], f32>, !relax.tensor<[2, 5], f32>, !relax.tensor<[5, 3], f32>, !relax.tensor<[5, 5], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: rnn_cell_C7.mlir:6:8: error: @f: relax.rnn_cell (%r): expected a function among tanh, sigmoid, relu, softsign, softplus, affine, scaled_tanh, leaky_relu, thresholded_relu, hard_sigmoid, elu (C7), found "gelu"; correct activations{{$}}
