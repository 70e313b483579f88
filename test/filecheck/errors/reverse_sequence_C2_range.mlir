// RUN: not relax-opt %s 2>&1 | filecheck %s

// A vector has no second axis.

relax.func @f(%x: !relax.tensor<[n], f32>, %y: !relax.tensor<[n], i32>) -> !relax.object {
  %r = relax.reverse_sequence %x, %y : (!relax.tensor<[n], f32>, !relax.tensor<[n], i32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: reverse_sequence_C2_range.mlir:6:8: error: @f: relax.reverse_sequence (%r): expected an axis from -1 to 0 for a tensor of rank 1 (C2), found 1; axes count from zero, negative ones from the end{{$}}
