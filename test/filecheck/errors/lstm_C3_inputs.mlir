// RUN: not relax-opt %s 2>&1 | filecheck %s

// Without batch_first the inputs are the last axis all the same.

relax.func @f(%x: !relax.tensor<[t, n, 3], f32>, %h: !relax.tensor<[1, n, 5], f32>, %c: !relax.tensor<[1, n, 5], f32>, %w_ih: !relax.tensor<[1, 20, 4], f32>, %w_hh: !relax.tensor<[1, 20, 5], f32>) -> !relax.object {
  %ra, %rb, %rc = relax.lstm %x, %h, %c, %w_ih, %w_hh : (!relax.tensor<[t, n, 3], f32>, !relax.tensor<[1, n, 5], f32>, !relax.tensor<[1, n, 5], f32>, !relax.tensor<[1, 20, 4], f32>, !relax.tensor<[1, 20, 5], f32>) -> (!relax.tensor<*>, !relax.tensor<*>, !relax.tensor<*>)
  relax.return %ra : !relax.tensor<*>
}

// CHECK: lstm_C3_inputs.mlir:6:19: error: @f: relax.lstm (%ra, %rb, %rc): expected 'w_ih' to have one entry for each input (C3), found 4 for 3; slice or reshape 'w_ih'{{$}}
