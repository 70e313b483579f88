// RUN: not relax-opt %s 2>&1 | filecheck %s

// Weights for four gates.

relax.func @f(%x: !relax.tensor<[2, 3], f32>, %h: !relax.tensor<[2, 5], f32>, %w_ih: !relax.tensor<[20, 3], f32>, %w_hh: !relax.tensor<[20, 5], f32>) -> !relax.object {
  %r = relax.gru_cell %x, %h, %w_ih, %w_hh : (!relax.tensor<[2, 3], f32>, !relax.tensor<[2, 5], f32>, !relax.tensor<[20, 3], f32>, !relax.tensor<[20, 5], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: gru_cell_C3_gates.mlir:6:8: error: @f: relax.gru_cell (%r): expected 'w_ih' to have one entry for each hidden unit of every gate (C3), found 20 for 15; slice or reshape 'w_ih'{{$}}
