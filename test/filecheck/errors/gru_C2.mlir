// RUN: not relax-opt %s 2>&1 | filecheck %s

// PyTorch's weights have no axis of directions.

relax.func @f(%x: !relax.tensor<[t, n, 3], f32>, %h: !relax.tensor<[1, n, 5], f32>, %w_ih: !relax.tensor<[15, 3], f32>, %w_hh: !relax.tensor<[15, 5], f32>) -> !relax.object {
  %ra, %rb = relax.gru %x, %h, %w_ih, %w_hh : (!relax.tensor<[t, n, 3], f32>, !relax.tensor<[1, n, 5], f32>, !relax.tensor<[15, 3], f32>, !relax.tensor<[15, 5], f32>) -> (!relax.tensor<*>, !relax.tensor<*>)
  relax.return %ra : !relax.tensor<*>
}

// CHECK: gru_C2.mlir:6:14: error: @f: relax.gru (%ra, %rb): expected 'w_ih' of rank 3 (C2), found [15, 3]; reshape 'w_ih'{{$}}
