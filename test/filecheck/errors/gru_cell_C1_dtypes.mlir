// RUN: not relax-opt %s 2>&1 | filecheck %s

// The weights have another element type.

relax.func @f(%x: !relax.tensor<[2, 3], f32>, %h: !relax.tensor<[2, 5], f32>, %w_ih: !relax.tensor<[15, 3], f16>, %w_hh: !relax.tensor<[15, 5], f16>) -> !relax.object {
  %r = relax.gru_cell %x, %h, %w_ih, %w_hh : (!relax.tensor<[2, 3], f32>, !relax.tensor<[2, 5], f32>, !relax.tensor<[15, 3], f16>, !relax.tensor<[15, 5], f16>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: gru_cell_C1_dtypes.mlir:6:8: error: @f: relax.gru_cell (%r): expected operands of one element type (C1), found f32 and f16; convert one of them with relax.astype{{$}}
