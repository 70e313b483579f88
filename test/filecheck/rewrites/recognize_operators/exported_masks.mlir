// RUN: relax-opt %s -p relax-recognize-operators,relax-dce | filecheck %s

// An operator with a causal mask as its bias, as torch.export keeps scaled_dot_product_attention.
relax.func @causal(%q: !relax.tensor<[b, n, 2, 4], f32>) -> !relax.tensor<[b, n, 2, 4], f32> {
  %gv = relax.dataflow {
    %low = relax.constant dense<-3.40282347e+38> : tensor<f32>
    %s = relax.shape [n, n]
    %f = relax.full %s, %low : (!relax.shape<[n, n]>, !relax.tensor<[], f32>) -> !relax.tensor<[n, n], f32>
    %t = relax.triu %f {k = 1 : i64} : (!relax.tensor<[n, n], f32>) -> !relax.tensor<[n, n], f32>
    %m = relax.expand_dims %t {axis = array<i64: 0, 1>} : (!relax.tensor<[n, n], f32>) -> !relax.tensor<[1, 1, n, n], f32>
    %e = relax.shape [b, 1, n, n]
    %b = relax.broadcast_to %m, %e : (!relax.tensor<[1, 1, n, n], f32>, !relax.shape<[b, 1, n, n]>) -> !relax.tensor<[b, 1, n, n], f32>
    %0 = relax.attention %q, %q, %q, %b {scale = 5.000000e-01 : f64} : (!relax.tensor<[b, n, 2, 4], f32>, !relax.tensor<[b, n, 2, 4], f32>, !relax.tensor<[b, n, 2, 4], f32>, !relax.tensor<[b, 1, n, n], f32>) -> !relax.tensor<[b, n, 2, 4], f32>
    relax.output %0 : !relax.tensor<[b, n, 2, 4], f32>
  }
  relax.return %gv : !relax.tensor<[b, n, 2, 4], f32>
}
// CHECK-LABEL: @causal(
// CHECK: %lv = relax.attention %q, %q, %q {scale = 5.000000e-01 : f64, causal_mask = "TopLeft"}
// CHECK-NEXT: relax.output %lv
// TVM's decomposition of it: `any` is `max` of integers.
relax.func @rows_of_minus_infinity(%q: !relax.tensor<[b, 2, n, 4], f32>, %k: !relax.tensor<[b, 2, 4, n], f32>, %m: !relax.tensor<[b, 1, n, n], f32>) -> !relax.tensor<[b, 2, n, 4], f32> {
  %gv = relax.dataflow {
    %y = relax.permute_dims %q {axes = array<i64: 0, 1, 3, 2>} : (!relax.tensor<[b, 2, n, 4], f32>) -> !relax.tensor<[b, 2, 4, n], f32>
    %a = relax.matmul %q, %y : (!relax.tensor<[b, 2, n, 4], f32>, !relax.tensor<[b, 2, 4, n], f32>) -> !relax.tensor<[b, 2, n, n], f32>
    %s = relax.add %a, %m : (!relax.tensor<[b, 2, n, n], f32>, !relax.tensor<[b, 1, n, n], f32>) -> !relax.tensor<[b, 2, n, n], f32>
    %p = relax.softmax %s {axis = -1 : i64} : (!relax.tensor<[b, 2, n, n], f32>) -> !relax.tensor<[b, 2, n, n], f32>
    %inf = relax.constant dense<"0x000080FF"> : tensor<f32>
    %n = relax.not_equal %s, %inf : (!relax.tensor<[b, 2, n, n], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[b, 2, n, n], i1>
    %i = relax.astype %n {dtype = i8} : (!relax.tensor<[b, 2, n, n], i1>) -> !relax.tensor<[b, 2, n, n], i8>
    %x = relax.max %i {axis = array<i64: -1>, keepdims = true} : (!relax.tensor<[b, 2, n, n], i8>) -> !relax.tensor<[b, 2, n, 1], i8>
    %o = relax.astype %x {dtype = i1} : (!relax.tensor<[b, 2, n, 1], i8>) -> !relax.tensor<[b, 2, n, 1], i1>
    %e = relax.logical_not %o : (!relax.tensor<[b, 2, n, 1], i1>) -> !relax.tensor<[b, 2, n, 1], i1>
    %zero = relax.constant dense<0.0> : tensor<f32>
    %z = relax.full_like %p, %zero : (!relax.tensor<[b, 2, n, n], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[b, 2, n, n], f32>
    %w = relax.where %e, %z, %p : (!relax.tensor<[b, 2, n, 1], i1>, !relax.tensor<[b, 2, n, n], f32>, !relax.tensor<[b, 2, n, n], f32>) -> !relax.tensor<[b, 2, n, n], f32>
    %0 = relax.matmul %w, %q : (!relax.tensor<[b, 2, n, n], f32>, !relax.tensor<[b, 2, n, 4], f32>) -> !relax.tensor<[b, 2, n, 4], f32>
    relax.output %0 : !relax.tensor<[b, 2, n, 4], f32>
  }
  relax.return %gv : !relax.tensor<[b, 2, n, 4], f32>
}
// CHECK-LABEL: @rows_of_minus_infinity(
// CHECK: %lv = relax.permute_dims %q {axes = array<i64: 0, 2, 1, 3>}
// CHECK-NEXT: %lv_1 = relax.permute_dims %q {axes = array<i64: 0, 2, 1, 3>}
// CHECK-NEXT: %lv_2 = relax.permute_dims %q {axes = array<i64: 0, 2, 1, 3>}
// CHECK-NEXT: %lv_3 = relax.attention %lv, %lv_1, %lv_2, %m {scale = 1.000000e+00 : f64}
// CHECK-NEXT: %lv_4 = relax.permute_dims %lv_3 {axes = array<i64: 0, 2, 1, 3>}
// CHECK-NEXT: relax.output %lv_4
