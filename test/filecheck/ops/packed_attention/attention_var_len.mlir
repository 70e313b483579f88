// RUN: relax-opt %s | relax-opt | filecheck %s

// CHECK-LABEL: relax.func @of_itself(
// CHECK-NEXT: %r = relax.attention_var_len %q, %k, %v, %sq, %mq : (!relax.tensor<[1, n, 4, 8], f32>, !relax.tensor<[1, n, 4, 8], f32>, !relax.tensor<[1, n, 4, 8], f32>, !relax.tensor<[b], i32>, !relax.tensor<[], i32>) -> !relax.tensor<[1, n, 4, 8], f32>{{$}}
relax.func @of_itself(%q: !relax.tensor<[1, n, 4, 8], f32>, %k: !relax.tensor<[1, n, 4, 8], f32>, %v: !relax.tensor<[1, n, 4, 8], f32>, %sq: !relax.tensor<[b], i32>, %mq: !relax.tensor<[], i32>) -> !relax.object {
  %r = relax.attention_var_len %q, %k, %v, %sq, %mq : (!relax.tensor<[1, n, 4, 8], f32>, !relax.tensor<[1, n, 4, 8], f32>, !relax.tensor<[1, n, 4, 8], f32>, !relax.tensor<[b], i32>, !relax.tensor<[], i32>) -> !relax.tensor<[1, n, 4, 8], f32>
  relax.return %r : !relax.tensor<[1, n, 4, 8], f32>
}

// CHECK-LABEL: relax.func @of_other_keys(
// CHECK-NEXT: %r = relax.attention_var_len %q, %k, %v, %sq, %mq, %sk, %mk {scale = 5.000000e-01 : f64, causal_mask = "BottomRight", window_size = 3 : i64} : (!relax.tensor<[1, n, 4, 8], f32>, !relax.tensor<[1, m, 4, 8], f32>, !relax.tensor<[1, m, 4, 16], f32>, !relax.tensor<[b], i32>, !relax.tensor<[], i32>, !relax.tensor<[b], i32>, !relax.tensor<[], i32>) -> !relax.tensor<[1, n, 4, 16], f32>{{$}}
relax.func @of_other_keys(%q: !relax.tensor<[1, n, 4, 8], f32>, %k: !relax.tensor<[1, m, 4, 8], f32>, %v: !relax.tensor<[1, m, 4, 16], f32>, %sq: !relax.tensor<[b], i32>, %mq: !relax.tensor<[], i32>, %sk: !relax.tensor<[b], i32>, %mk: !relax.tensor<[], i32>) -> !relax.object {
  %r = relax.attention_var_len %q, %k, %v, %sq, %mq, %sk, %mk {scale = 5.000000e-01 : f64, causal_mask = "BottomRight", window_size = 3 : i64} : (!relax.tensor<[1, n, 4, 8], f32>, !relax.tensor<[1, m, 4, 8], f32>, !relax.tensor<[1, m, 4, 16], f32>, !relax.tensor<[b], i32>, !relax.tensor<[], i32>, !relax.tensor<[b], i32>, !relax.tensor<[], i32>) -> !relax.tensor<[1, n, 4, 16], f32>
  relax.return %r : !relax.tensor<[1, n, 4, 16], f32>
}

// CHECK-LABEL: relax.func @grouped(
// CHECK-NEXT: %r = relax.attention_var_len %q, %k, %v, %sq, %mq {causal_mask = "TopLeft"} : (!relax.tensor<[1, 9, 4, 8], f16>, !relax.tensor<[1, 9, 2, 8], f16>, !relax.tensor<[1, 9, 1, 6], f16>, !relax.tensor<[3], i64>, !relax.tensor<[], i64>) -> !relax.tensor<[1, 9, 4, 6], f16>{{$}}
relax.func @grouped(%q: !relax.tensor<[1, 9, 4, 8], f16>, %k: !relax.tensor<[1, 9, 2, 8], f16>, %v: !relax.tensor<[1, 9, 1, 6], f16>, %sq: !relax.tensor<[3], i64>, %mq: !relax.tensor<[], i64>) -> !relax.object {
  %r = relax.attention_var_len %q, %k, %v, %sq, %mq {causal_mask = "TopLeft"} : (!relax.tensor<[1, 9, 4, 8], f16>, !relax.tensor<[1, 9, 2, 8], f16>, !relax.tensor<[1, 9, 1, 6], f16>, !relax.tensor<[3], i64>, !relax.tensor<[], i64>) -> !relax.tensor<[1, 9, 4, 6], f16>
  relax.return %r : !relax.tensor<[1, 9, 4, 6], f16>
}

// CHECK-LABEL: relax.func @unknown(
// CHECK-NEXT: %r = relax.attention_var_len %q, %k, %v, %sq, %mq : (!relax.tensor<*>, !relax.tensor<*>, !relax.tensor<*>, !relax.tensor<*, i32>, !relax.tensor<*>) -> !relax.tensor<[1, ?, ?, ?]>{{$}}
relax.func @unknown(%q: !relax.tensor<*>, %k: !relax.tensor<*>, %v: !relax.tensor<*>, %sq: !relax.tensor<*, i32>, %mq: !relax.tensor<*>) -> !relax.object {
  %r = relax.attention_var_len %q, %k, %v, %sq, %mq : (!relax.tensor<*>, !relax.tensor<*>, !relax.tensor<*>, !relax.tensor<*, i32>, !relax.tensor<*>) -> !relax.tensor<[1, ?, ?, ?]>
  relax.return %r : !relax.tensor<[1, ?, ?, ?]>
}
