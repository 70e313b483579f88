// RUN: relax-opt %s --split-input-file --verify-diagnostics | filecheck %s

// No window holds no key.

relax.func @f(%q: !relax.tensor<[1, n, 4, 8], f32>, %k: !relax.tensor<[1, m, 4, 8], f32>, %v: !relax.tensor<[1, m, 4, 16], f32>, %sq: !relax.tensor<[b], i32>, %mq: !relax.tensor<[], i32>) -> !relax.object {
  %r = relax.attention_var_len %q, %k, %v, %sq, %mq {causal_mask = "TopLeft", window_size = 0 : i64} : (!relax.tensor<[1, n, 4, 8], f32>, !relax.tensor<[1, m, 4, 8], f32>, !relax.tensor<[1, m, 4, 16], f32>, !relax.tensor<[b], i32>, !relax.tensor<[], i32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: error: @f: relax.attention_var_len (%r): expected 'window_size' to be at least 1 (C6), found 0; correct 'window_size'{{$}}

// -----

// A window ends at a query.

relax.func @f(%q: !relax.tensor<[1, n, 4, 8], f32>, %k: !relax.tensor<[1, m, 4, 8], f32>, %v: !relax.tensor<[1, m, 4, 16], f32>, %sq: !relax.tensor<[b], i32>, %mq: !relax.tensor<[], i32>) -> !relax.object {
  %r = relax.attention_var_len %q, %k, %v, %sq, %mq {window_size = 2 : i64} : (!relax.tensor<[1, n, 4, 8], f32>, !relax.tensor<[1, m, 4, 8], f32>, !relax.tensor<[1, m, 4, 16], f32>, !relax.tensor<[b], i32>, !relax.tensor<[], i32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: error: @f: relax.attention_var_len (%r): expected a causal mask where there is a window (C6), found none; write causal_mask = "TopLeft" or "BottomRight"{{$}}
