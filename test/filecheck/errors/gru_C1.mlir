// RUN: not relax-opt %s 2>&1 | filecheck %s

// Steps are counted.

relax.func @f(%x: !relax.tensor<[7, 2, 3], f32>, %h: !relax.tensor<[1, 2, 5], f32>, %w_ih: !relax.tensor<[1, 15, 3], f32>, %w_hh: !relax.tensor<[1, 15, 5], f32>, %b_ih: !relax.tensor<[1, 15], f32>, %b_hh: !relax.tensor<[1, 15], f32>, %lengths: !relax.tensor<[2], f32>) -> !relax.object {
  %a, %b = relax.gru %x, %h, %w_ih, %w_hh, %b_ih, %b_hh, %lengths : (!relax.tensor<[7, 2, 3], f32>, !relax.tensor<[1, 2, 5], f32>, !relax.tensor<[1, 15, 3], f32>, !relax.tensor<[1, 15, 5], f32>, !relax.tensor<[1, 15], f32>, !relax.tensor<[1, 15], f32>, !relax.tensor<[2], f32>) -> (!relax.tensor<*>, !relax.tensor<*>)
  relax.return %a : !relax.tensor<*>
}

// CHECK: gru_C1.mlir:6:12: error: @f: relax.gru (%a, %b): expected an integer element type of 'lengths' (C1), found f32; convert with relax.astype first{{$}}
