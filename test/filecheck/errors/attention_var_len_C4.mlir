// RUN: relax-opt %s --split-input-file --verify-diagnostics | filecheck %s

// Three heads serve no four.

relax.func @f(%q: !relax.tensor<[1, n, 4, 8], f32>, %k: !relax.tensor<[1, m, 3, 8], f32>, %v: !relax.tensor<[1, m, 4, 16], f32>, %sq: !relax.tensor<[b], i32>, %mq: !relax.tensor<[], i32>) -> !relax.object {
  %r = relax.attention_var_len %q, %k, %v, %sq, %mq : (!relax.tensor<[1, n, 4, 8], f32>, !relax.tensor<[1, m, 3, 8], f32>, !relax.tensor<[1, m, 4, 16], f32>, !relax.tensor<[b], i32>, !relax.tensor<[], i32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: error: @f: relax.attention_var_len (%r): expected the heads of 'keys' to divide those of 'query', provably (C4), found 3 and 4; narrow the types by a relax.match_cast, or reshape{{$}}
