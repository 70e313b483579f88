// RUN: not relax-opt %s 2>&1 | filecheck %s

// There is no such direction.

relax.func @f(%x: !relax.tensor<[t, n, 3], f32>, %h: !relax.tensor<[1, n, 5], f32>, %w_ih: !relax.tensor<[1, 5, 3], f32>, %w_hh: !relax.tensor<[1, 5, 5], f32>) -> !relax.object {
  %ra, %rb = relax.rnn %x, %h, %w_ih, %w_hh {direction = "backward"} : (!relax.tensor<[t, n, 3], f32>, !relax.tensor<[1, n, 5], f32>, !relax.tensor<[1, 5, 3], f32>, !relax.tensor<[1, 5, 5], f32>) -> (!relax.tensor<*>, !relax.tensor<*>)
  relax.return %ra : !relax.tensor<*>
}

// CHECK: rnn_C5.mlir:6:14: error: @f: relax.rnn (%ra, %rb): expected direction to be one of "forward", "reverse", "bidirectional" (C5), found "backward"; correct direction{{$}}
