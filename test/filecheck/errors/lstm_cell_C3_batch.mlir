// RUN: not relax-opt %s 2>&1 | filecheck %s

// States of other samples.

relax.func @f(%x: !relax.tensor<[n, 3], f32>, %h: !relax.tensor<[n, 5], f32>, %c: !relax.tensor<[n + 1, 5], f32>, %w_ih: !relax.tensor<[20, 3], f32>, %w_hh: !relax.tensor<[20, 5], f32>) -> !relax.object {
  %ra, %rb = relax.lstm_cell %x, %h, %c, %w_ih, %w_hh : (!relax.tensor<[n, 3], f32>, !relax.tensor<[n, 5], f32>, !relax.tensor<[n + 1, 5], f32>, !relax.tensor<[20, 3], f32>, !relax.tensor<[20, 5], f32>) -> (!relax.tensor<*>, !relax.tensor<*>)
  relax.return %ra : !relax.tensor<*>
}

// CHECK: lstm_cell_C3_batch.mlir:6:14: error: @f: relax.lstm_cell (%ra, %rb): expected 'c' to have one entry for each sample of the batch (C3), found n + 1 for n; slice or reshape 'c'{{$}}
