// RUN: relax-opt %s --split-input-file --verify-diagnostics | filecheck %s

// There is no number before the first one.

relax.func @f(%x: !relax.tensor<[b, n, 6], f32>) -> !relax.object {
  %r0, %r1, %r2 = relax.get_valid_counts %x {score_index = -1 : i64} : (!relax.tensor<[b, n, 6], f32>) -> (!relax.tensor<*>, !relax.tensor<*>, !relax.tensor<*>)
  relax.return %r0 : !relax.tensor<*>
}

// CHECK: error: @f: relax.get_valid_counts (%r0, %r1, %r2): expected 'score_index' within a box (C3), found -1; count from zero{{$}}
