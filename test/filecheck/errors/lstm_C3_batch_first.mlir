// RUN: not relax-opt %s 2>&1 | filecheck %s

// The batch is not where batch_first says.

relax.func @f(%x: !relax.tensor<[7, 2, 3], f32>, %h: !relax.tensor<[1, 2, 5], f32>, %c: !relax.tensor<[1, 2, 5], f32>, %w_ih: !relax.tensor<[1, 20, 3], f32>, %w_hh: !relax.tensor<[1, 20, 5], f32>) -> !relax.object {
  %ra, %rb, %rc = relax.lstm %x, %h, %c, %w_ih, %w_hh {batch_first = true} : (!relax.tensor<[7, 2, 3], f32>, !relax.tensor<[1, 2, 5], f32>, !relax.tensor<[1, 2, 5], f32>, !relax.tensor<[1, 20, 3], f32>, !relax.tensor<[1, 20, 5], f32>) -> (!relax.tensor<*>, !relax.tensor<*>, !relax.tensor<*>)
  relax.return %ra : !relax.tensor<*>
}

// CHECK: lstm_C3_batch_first.mlir:6:19: error: @f: relax.lstm (%ra, %rb, %rc): expected 'h' to have one entry for each sample of the batch (C3), found 2 for 7; slice or reshape 'h'{{$}}
