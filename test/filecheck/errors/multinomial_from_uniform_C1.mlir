// RUN: relax-opt %s --split-input-file --verify-diagnostics | filecheck %s

// Probabilities are fractions.

relax.func @f(%p: !relax.tensor<[b, 5], i32>, %u: !relax.tensor<[n, 1], f32>, %s: !relax.tensor<[n, 1], i64>) -> !relax.object {
  %r = relax.multinomial_from_uniform %p, %u, %s : (!relax.tensor<[b, 5], i32>, !relax.tensor<[n, 1], f32>, !relax.tensor<[n, 1], i64>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: error: @f: relax.multinomial_from_uniform (%r): expected a floating-point element type of 'prob' (C1), found i32; convert with relax.astype first{{$}}

// -----

// Rows are numbered.

relax.func @f(%p: !relax.tensor<[b, 5], f32>, %u: !relax.tensor<[n, 1], f32>, %s: !relax.tensor<[n, 1], f32>) -> !relax.object {
  %r = relax.multinomial_from_uniform %p, %u, %s : (!relax.tensor<[b, 5], f32>, !relax.tensor<[n, 1], f32>, !relax.tensor<[n, 1], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: error: @f: relax.multinomial_from_uniform (%r): expected an integer element type of 'sample_indices' (C1), found f32; convert with relax.astype first{{$}}
