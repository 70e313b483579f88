// RUN: not relax-opt %s 2>&1 | filecheck %s

// There are 3 sequences, not 4.

relax.func @f(%x: !relax.tensor<[3, m], f32>, %y: !relax.tensor<[4], i32>) -> !relax.object {
  %r = relax.reverse_sequence %x, %y : (!relax.tensor<[3, m], f32>, !relax.tensor<[4], i32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: reverse_sequence_C1_size.mlir:6:8: error: @f: relax.reverse_sequence (%r): expected equal sizes of seq_lengths and the batch axis (C1), found 3 and 4; slice, pad or reshape one of the operands{{$}}
