// RUN: relax-opt %s --split-input-file --verify-diagnostics | filecheck %s

// Starts are numbers of queries.

relax.func @f(%q: !relax.tensor<[1, n, 4, 8], f32>, %k: !relax.tensor<[1, m, 4, 8], f32>, %v: !relax.tensor<[1, m, 4, 16], f32>, %sq: !relax.tensor<[b], f32>, %mq: !relax.tensor<[], i32>) -> !relax.object {
  %r = relax.attention_var_len %q, %k, %v, %sq, %mq : (!relax.tensor<[1, n, 4, 8], f32>, !relax.tensor<[1, m, 4, 8], f32>, !relax.tensor<[1, m, 4, 16], f32>, !relax.tensor<[b], f32>, !relax.tensor<[], i32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: error: @f: relax.attention_var_len (%r): expected an integer element type of 'seqstart_q' (C1), found f32; convert with relax.astype first{{$}}

// -----

// There are no scores of integers.

relax.func @f(%q: !relax.tensor<[1, n, 4, 8], i32>, %k: !relax.tensor<[1, m, 4, 8], f32>, %v: !relax.tensor<[1, m, 4, 16], f32>, %sq: !relax.tensor<[b], i32>, %mq: !relax.tensor<[], i32>) -> !relax.object {
  %r = relax.attention_var_len %q, %k, %v, %sq, %mq : (!relax.tensor<[1, n, 4, 8], i32>, !relax.tensor<[1, m, 4, 8], f32>, !relax.tensor<[1, m, 4, 16], f32>, !relax.tensor<[b], i32>, !relax.tensor<[], i32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: error: @f: relax.attention_var_len (%r): expected a floating-point element type of 'queries' (C1), found i32; convert with relax.astype first{{$}}
