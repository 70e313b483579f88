// RUN: relax-opt %s --split-input-file --verify-diagnostics | filecheck %s

// Scores are fractions.

relax.func @f(%x: !relax.tensor<[b, n, 6], i32>) -> !relax.object {
  %r0, %r1, %r2 = relax.get_valid_counts %x : (!relax.tensor<[b, n, 6], i32>) -> (!relax.tensor<*>, !relax.tensor<*>, !relax.tensor<*>)
  relax.return %r0 : !relax.tensor<*>
}

// CHECK: error: @f: relax.get_valid_counts (%r0, %r1, %r2): expected a floating-point element type (C1), found i32; convert with relax.astype first{{$}}
