// RUN: relax-opt %s --split-input-file --verify-diagnostics | filecheck %s

// There is one greatest length.

relax.func @f(%q: !relax.tensor<[1, n, 4, 8], f32>, %k: !relax.tensor<[1, m, 4, 8], f32>, %v: !relax.tensor<[1, m, 4, 16], f32>, %sq: !relax.tensor<[b], i32>, %mq: !relax.tensor<[1], i32>) -> !relax.object {
  %r = relax.attention_var_len %q, %k, %v, %sq, %mq : (!relax.tensor<[1, n, 4, 8], f32>, !relax.tensor<[1, m, 4, 8], f32>, !relax.tensor<[1, m, 4, 16], f32>, !relax.tensor<[b], i32>, !relax.tensor<[1], i32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: error: @f: relax.attention_var_len (%r): expected 'max_seqlen_q' of rank 0 (C2), found rank 1; reshape it{{$}}
