// RUN: not relax-opt %s 2>&1 | filecheck %s

// Tensors whose memory is known are written over, and tuples of them.

relax.func @f(%x: !relax.tensor<*, f32>) -> !relax.tensor<*, f32> attributes {inplace_indices = array<i64: 0>} {
  relax.return %x : !relax.tensor<*, f32>
}

// CHECK: func_C4_tensors.mlir:5:1: error: relax.func @f: expected tensors of known rank and element type to be written over (C4), found !relax.tensor<*, f32>; write -1 for what is no such tensor, nor a tuple of them{{$}}
