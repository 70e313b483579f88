// RUN: not relax-opt %s 2>&1 | filecheck %s

// Lengths are whole numbers.

relax.func @f(%x: !relax.tensor<[n, m], f32>, %y: !relax.tensor<[n], f32>) -> !relax.object {
  %r = relax.reverse_sequence %x, %y : (!relax.tensor<[n, m], f32>, !relax.tensor<[n], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: reverse_sequence_C1_dtype.mlir:6:8: error: @f: relax.reverse_sequence (%r): expected seq_lengths to be a vector of integers (C1), found !relax.tensor<[n], f32>; correct the lengths{{$}}
