// RUN: not relax-opt %s 2>&1 | filecheck %s

// Lengths are whole numbers.

relax.func @f(%x: !relax.tensor<[n, m], f32>, %y: !relax.tensor<[n], f32>) -> !relax.object {
  %r = relax.reverse_sequence %x, %y : (!relax.tensor<[n, m], f32>, !relax.tensor<[n], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: reverse_sequence_C1_dtype.mlir:6:8: error: @f: relax.reverse_sequence (%r): expected a vector of integers, an integer element type of 'seq_lengths' (C1), found f32; convert with relax.astype first{{$}}
