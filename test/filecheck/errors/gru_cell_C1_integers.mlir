// RUN: not relax-opt %s 2>&1 | filecheck %s

// Gates are no whole numbers.

relax.func @f(%x: !relax.tensor<[2, 3], i32>, %h: !relax.tensor<[2, 5], i32>, %w_ih: !relax.tensor<[15, 3], i32>, %w_hh: !relax.tensor<[15, 5], i32>) -> !relax.object {
  %r = relax.gru_cell %x, %h, %w_ih, %w_hh : (!relax.tensor<[2, 3], i32>, !relax.tensor<[2, 5], i32>, !relax.tensor<[15, 3], i32>, !relax.tensor<[15, 5], i32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: gru_cell_C1_integers.mlir:6:8: error: @f: relax.gru_cell (%r): expected a floating-point element type of 'x' (C1), found i32; convert with relax.astype first{{$}}
