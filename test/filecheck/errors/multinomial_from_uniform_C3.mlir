// RUN: relax-opt %s --split-input-file --verify-diagnostics | filecheck %s

// The numbers are no column.

relax.func @f(%p: !relax.tensor<[b, 5], f32>, %u: !relax.tensor<[n], f32>, %s: !relax.tensor<[n, 1], i64>) -> !relax.object {
  %r = relax.multinomial_from_uniform %p, %u, %s : (!relax.tensor<[b, 5], f32>, !relax.tensor<[n], f32>, !relax.tensor<[n, 1], i64>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: error: @f: relax.multinomial_from_uniform (%r): expected 'uniform_sample' of rank 2 (C3), found rank 1; reshape it{{$}}

// -----

// There are two columns.

relax.func @f(%p: !relax.tensor<[b, 5], f32>, %u: !relax.tensor<[n, 2], f32>, %s: !relax.tensor<[n, 1], i64>) -> !relax.object {
  %r = relax.multinomial_from_uniform %p, %u, %s : (!relax.tensor<[b, 5], f32>, !relax.tensor<[n, 2], f32>, !relax.tensor<[n, 1], i64>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: error: @f: relax.multinomial_from_uniform (%r): expected 'uniform_sample' of one column (C3), found 2 for 1; reshape it to [n, 1]{{$}}

// -----

// A number has no row.

relax.func @f(%p: !relax.tensor<[b, 5], f32>, %u: !relax.tensor<[4, 1], f32>, %s: !relax.tensor<[3, 1], i64>) -> !relax.object {
  %r = relax.multinomial_from_uniform %p, %u, %s : (!relax.tensor<[b, 5], f32>, !relax.tensor<[4, 1], f32>, !relax.tensor<[3, 1], i64>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: error: @f: relax.multinomial_from_uniform (%r): expected one row in 'sample_indices' for each number (C3), found 3 for 4; slice or repeat one of them{{$}}
