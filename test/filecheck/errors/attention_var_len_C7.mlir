// RUN: relax-opt %s --split-input-file --verify-diagnostics | filecheck %s

// Nothing is left to say.

relax.func @f(%q: !relax.tensor<[1, n, 4, 8], f32>, %k: !relax.tensor<[1, m, 4, 8], f32>, %v: !relax.tensor<[1, m, 4, 16], f32>, %sq: !relax.tensor<[b], i32>, %mq: !relax.tensor<[], i32>, %sk: !relax.tensor<[b], i32>, %mk: !relax.tensor<[], i32>, %x: !relax.tensor<[], i32>) -> !relax.object {
  %r = relax.attention_var_len %q, %k, %v, %sq, %mq, %sk, %mk, %x : (!relax.tensor<[1, n, 4, 8], f32>, !relax.tensor<[1, m, 4, 8], f32>, !relax.tensor<[1, m, 4, 16], f32>, !relax.tensor<[b], i32>, !relax.tensor<[], i32>, !relax.tensor<[b], i32>, !relax.tensor<[], i32>, !relax.tensor<[], i32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: error: @f: relax.attention_var_len (%r): expected at most two operands after 'max_seqlen_q' (C7), found 3; leave out the rest{{$}}
