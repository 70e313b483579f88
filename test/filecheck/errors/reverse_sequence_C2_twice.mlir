// RUN: not relax-opt %s 2>&1 | filecheck %s

// The batch is no sequence.

relax.func @f(%x: !relax.tensor<[n, m], f32>, %y: !relax.tensor<[n], i32>) -> !relax.object {
  %r = relax.reverse_sequence %x, %y {seq_axis = 0 : i64, batch_axis = -2 : i64} : (!relax.tensor<[n, m], f32>, !relax.tensor<[n], i32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: reverse_sequence_C2_twice.mlir:6:8: error: @f: relax.reverse_sequence (%r): expected two different axes (C2), found 0 and -2; correct one of them{{$}}
