// RUN: not relax-opt %s 2>&1 | filecheck %s

// A cell takes one step.

relax.func @f(%x: !relax.tensor<[7, 2, 3], f32>, %h: !relax.tensor<[2, 5], f32>, %w_ih: !relax.tensor<[15, 3], f32>, %w_hh: !relax.tensor<[15, 5], f32>) -> !relax.object {
  %r = relax.gru_cell %x, %h, %w_ih, %w_hh : (!relax.tensor<[7, 2, 3], f32>, !relax.tensor<[2, 5], f32>, !relax.tensor<[15, 3], f32>, !relax.tensor<[15, 5], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: gru_cell_C2.mlir:6:8: error: @f: relax.gru_cell (%r): expected 'x' of rank 2 (C2), found [7, 2, 3]; reshape 'x'{{$}}
