// RUN: not relax-opt %s 2>&1 | filecheck %s

// The states of one direction for two.

relax.func @f(%x: !relax.tensor<[t, n, 3], f32>, %h: !relax.tensor<[1, n, 5], f32>, %c: !relax.tensor<[1, n, 5], f32>, %w_ih: !relax.tensor<[2, 20, 3], f32>, %w_hh: !relax.tensor<[2, 20, 5], f32>) -> !relax.object {
  %ra, %rb, %rc = relax.lstm %x, %h, %c, %w_ih, %w_hh {direction = "bidirectional"} : (!relax.tensor<[t, n, 3], f32>, !relax.tensor<[1, n, 5], f32>, !relax.tensor<[1, n, 5], f32>, !relax.tensor<[2, 20, 3], f32>, !relax.tensor<[2, 20, 5], f32>) -> (!relax.tensor<*>, !relax.tensor<*>, !relax.tensor<*>)
  relax.return %ra : !relax.tensor<*>
}

// CHECK: lstm_C3_direction.mlir:6:19: error: @f: relax.lstm (%ra, %rb, %rc): expected 'h' to have one entry for each direction (C3), found 1 for 2; slice or reshape 'h'{{$}}
