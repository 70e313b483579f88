// RUN: relax-opt %s --split-input-file --verify-diagnostics | filecheck %s

// The batch is laid out in a row.

relax.func @f(%q: !relax.tensor<[2, n, 4, 8], f32>, %k: !relax.tensor<[1, m, 4, 8], f32>, %v: !relax.tensor<[1, m, 4, 16], f32>, %sq: !relax.tensor<[b], i32>, %mq: !relax.tensor<[], i32>) -> !relax.object {
  %r = relax.attention_var_len %q, %k, %v, %sq, %mq : (!relax.tensor<[2, n, 4, 8], f32>, !relax.tensor<[1, m, 4, 8], f32>, !relax.tensor<[1, m, 4, 16], f32>, !relax.tensor<[b], i32>, !relax.tensor<[], i32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: error: @f: relax.attention_var_len (%r): expected 'queries' of batch size 1 (C3), found 2 for 1; let the sequences follow one another{{$}}

// -----

// The depths differ.

relax.func @f(%q: !relax.tensor<[1, n, 4, 8], f32>, %k: !relax.tensor<[1, m, 4, 9], f32>, %v: !relax.tensor<[1, m, 4, 16], f32>, %sq: !relax.tensor<[b], i32>, %mq: !relax.tensor<[], i32>) -> !relax.object {
  %r = relax.attention_var_len %q, %k, %v, %sq, %mq : (!relax.tensor<[1, n, 4, 8], f32>, !relax.tensor<[1, m, 4, 9], f32>, !relax.tensor<[1, m, 4, 16], f32>, !relax.tensor<[b], i32>, !relax.tensor<[], i32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: error: @f: relax.attention_var_len (%r): expected queries and keys of one depth (C3), found 9 for 8; reshape or slice one of them{{$}}

// -----

// A sequence has no keys.

relax.func @f(%q: !relax.tensor<[1, n, 4, 8], f32>, %k: !relax.tensor<[1, m, 4, 8], f32>, %v: !relax.tensor<[1, m, 4, 16], f32>, %sq: !relax.tensor<[3], i32>, %mq: !relax.tensor<[], i32>, %sk: !relax.tensor<[4], i32>, %mk: !relax.tensor<[], i32>) -> !relax.object {
  %r = relax.attention_var_len %q, %k, %v, %sq, %mq, %sk, %mk : (!relax.tensor<[1, n, 4, 8], f32>, !relax.tensor<[1, m, 4, 8], f32>, !relax.tensor<[1, m, 4, 16], f32>, !relax.tensor<[3], i32>, !relax.tensor<[], i32>, !relax.tensor<[4], i32>, !relax.tensor<[], i32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: error: @f: relax.attention_var_len (%r): expected as many starts of keys as of queries (C3), found 4 for 3; correct the starts{{$}}
