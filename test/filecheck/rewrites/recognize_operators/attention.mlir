// RUN: relax-opt %s -p relax-recognize-operators,relax-dce | filecheck %s

// scaled_dot_product_attention as torch.export decomposes it and as torch.onnx.export (opset 17) writes it; Llama's with grouped heads.
relax.func @torch_decomposed(%q: !relax.tensor<[b, 2, n, 4], f32>, %k: !relax.tensor<[b, 2, m, 4], f32>, %v: !relax.tensor<[b, 2, m, 8], f32>, %mask: !relax.tensor<[b, 1, n, m], f32>) -> !relax.tensor<[b, 2, n, 8], f32> {
  %gv = relax.dataflow {
    %c = relax.constant dense<0.707106769> : tensor<f32>
    %lv = relax.multiply %q, %c : (!relax.tensor<[b, 2, n, 4], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[b, 2, n, 4], f32>
    %lv1 = relax.shape [2 * b, n, 4]
    %lv2 = relax.reshape %lv, %lv1 : (!relax.tensor<[b, 2, n, 4], f32>, !relax.shape<[2 * b, n, 4]>) -> !relax.tensor<[2 * b, n, 4], f32>
    %lv3 = relax.permute_dims %k {axes = array<i64: 0, 1, 3, 2>} : (!relax.tensor<[b, 2, m, 4], f32>) -> !relax.tensor<[b, 2, 4, m], f32>
    %c_1 = relax.constant dense<0.707106769> : tensor<f32>
    %lv4 = relax.multiply %lv3, %c_1 : (!relax.tensor<[b, 2, 4, m], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[b, 2, 4, m], f32>
    %lv5 = relax.shape [2 * b, 4, m]
    %lv6 = relax.reshape %lv4, %lv5 : (!relax.tensor<[b, 2, 4, m], f32>, !relax.shape<[2 * b, 4, m]>) -> !relax.tensor<[2 * b, 4, m], f32>
    %lv7 = relax.matmul %lv2, %lv6 : (!relax.tensor<[2 * b, n, 4], f32>, !relax.tensor<[2 * b, 4, m], f32>) -> !relax.tensor<[2 * b, n, m], f32>
    %lv8 = relax.shape [b, 2, n, m]
    %lv9 = relax.reshape %lv7, %lv8 : (!relax.tensor<[2 * b, n, m], f32>, !relax.shape<[b, 2, n, m]>) -> !relax.tensor<[b, 2, n, m], f32>
    %lv10 = relax.add %lv9, %mask : (!relax.tensor<[b, 2, n, m], f32>, !relax.tensor<[b, 1, n, m], f32>) -> !relax.tensor<[b, 2, n, m], f32>
    %lv11 = relax.softmax %lv10 {axis = -1 : i64} : (!relax.tensor<[b, 2, n, m], f32>) -> !relax.tensor<[b, 2, n, m], f32>
    %c_2 = relax.constant dense<"0x000080FF"> : tensor<f32>
    %lv12 = relax.equal %lv10, %c_2 : (!relax.tensor<[b, 2, n, m], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[b, 2, n, m], i1>
    %lv13 = relax.logical_not %lv12 : (!relax.tensor<[b, 2, n, m], i1>) -> !relax.tensor<[b, 2, n, m], i1>
    %lv14 = relax.any %lv13 {axis = array<i64: -1>, keepdims = true} : (!relax.tensor<[b, 2, n, m], i1>) -> !relax.tensor<[b, 2, n, 1], i1>
    %lv15 = relax.logical_not %lv14 : (!relax.tensor<[b, 2, n, 1], i1>) -> !relax.tensor<[b, 2, n, 1], i1>
    %c_3 = relax.constant dense<0.000000e+00> : tensor<f32>
    %lv16 = relax.full_like %lv11, %c_3 : (!relax.tensor<[b, 2, n, m], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[b, 2, n, m], f32>
    %lv17 = relax.where %lv15, %lv16, %lv11 : (!relax.tensor<[b, 2, n, 1], i1>, !relax.tensor<[b, 2, n, m], f32>, !relax.tensor<[b, 2, n, m], f32>) -> !relax.tensor<[b, 2, n, m], f32>
    %lv18 = relax.shape [2 * b, n, m]
    %lv19 = relax.reshape %lv17, %lv18 : (!relax.tensor<[b, 2, n, m], f32>, !relax.shape<[2 * b, n, m]>) -> !relax.tensor<[2 * b, n, m], f32>
    %lv20 = relax.shape [2 * b, m, 8]
    %lv21 = relax.reshape %v, %lv20 : (!relax.tensor<[b, 2, m, 8], f32>, !relax.shape<[2 * b, m, 8]>) -> !relax.tensor<[2 * b, m, 8], f32>
    %lv22 = relax.matmul %lv19, %lv21 : (!relax.tensor<[2 * b, n, m], f32>, !relax.tensor<[2 * b, m, 8], f32>) -> !relax.tensor<[2 * b, n, 8], f32>
    %lv23 = relax.shape [b, 2, n, 8]
    %lv24 = relax.reshape %lv22, %lv23 : (!relax.tensor<[2 * b, n, 8], f32>, !relax.shape<[b, 2, n, 8]>) -> !relax.tensor<[b, 2, n, 8], f32>
    relax.output %lv24 : !relax.tensor<[b, 2, n, 8], f32>
  }
  relax.return %gv : !relax.tensor<[b, 2, n, 8], f32>
}
relax.func @onnx_mask(%q: !relax.tensor<[b, 2, n, 4], f32>, %k: !relax.tensor<[b, 2, m, 4], f32>, %v: !relax.tensor<[b, 2, m, 8], f32>, %mask: !relax.tensor<[n, m], i1>) -> !relax.tensor<[b, 2, n, 8], f32> {
  %gv = relax.dataflow {
    %c = relax.constant dense<0.707106769> : tensor<f32>
    %lv = relax.multiply %q, %c : (!relax.tensor<[b, 2, n, 4], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[b, 2, n, 4], f32>
    %lv1 = relax.permute_dims %k {axes = array<i64: 0, 1, 3, 2>} : (!relax.tensor<[b, 2, m, 4], f32>) -> !relax.tensor<[b, 2, 4, m], f32>
    %c_1 = relax.constant dense<0.707106769> : tensor<f32>
    %lv2 = relax.multiply %lv1, %c_1 : (!relax.tensor<[b, 2, 4, m], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[b, 2, 4, m], f32>
    %lv3 = relax.matmul %lv, %lv2 : (!relax.tensor<[b, 2, n, 4], f32>, !relax.tensor<[b, 2, 4, m], f32>) -> !relax.tensor<[b, 2, n, m], f32>
    %c_2 = relax.constant dense<0.000000e+00> : tensor<f32>
    %c_3 = relax.constant dense<"0x000080FF"> : tensor<f32>
    %lv4 = relax.where %mask, %c_2, %c_3 : (!relax.tensor<[n, m], i1>, !relax.tensor<[], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[n, m], f32>
    %lv5 = relax.add %lv3, %lv4 : (!relax.tensor<[b, 2, n, m], f32>, !relax.tensor<[n, m], f32>) -> !relax.tensor<[b, 2, n, m], f32>
    %lv6 = relax.softmax %lv5 {axis = -1 : i64} : (!relax.tensor<[b, 2, n, m], f32>) -> !relax.tensor<[b, 2, n, m], f32>
    %lv7 = relax.isnan %lv6 : (!relax.tensor<[b, 2, n, m], f32>) -> !relax.tensor<[b, 2, n, m], i1>
    %c_4 = relax.constant dense<0.000000e+00> : tensor<f32>
    %lv8 = relax.where %lv7, %c_4, %lv6 : (!relax.tensor<[b, 2, n, m], i1>, !relax.tensor<[], f32>, !relax.tensor<[b, 2, n, m], f32>) -> !relax.tensor<[b, 2, n, m], f32>
    %lv9 = relax.matmul %lv8, %v : (!relax.tensor<[b, 2, n, m], f32>, !relax.tensor<[b, 2, m, 8], f32>) -> !relax.tensor<[b, 2, n, 8], f32>
    relax.output %lv9 : !relax.tensor<[b, 2, n, 8], f32>
  }
  relax.return %gv : !relax.tensor<[b, 2, n, 8], f32>
}
relax.func @onnx_causal(%q: !relax.tensor<[b, 2, n, 4], f32>, %k: !relax.tensor<[b, 2, m, 4], f32>, %v: !relax.tensor<[b, 2, m, 8], f32>) -> !relax.tensor<[b, 2, n, 8], f32> {
  %gv = relax.dataflow {
    %c = relax.constant dense<0.707106769> : tensor<f32>
    %lv = relax.multiply %q, %c : (!relax.tensor<[b, 2, n, 4], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[b, 2, n, 4], f32>
    %lv1 = relax.permute_dims %k {axes = array<i64: 0, 1, 3, 2>} : (!relax.tensor<[b, 2, m, 4], f32>) -> !relax.tensor<[b, 2, 4, m], f32>
    %c_1 = relax.constant dense<0.707106769> : tensor<f32>
    %lv2 = relax.multiply %lv1, %c_1 : (!relax.tensor<[b, 2, 4, m], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[b, 2, 4, m], f32>
    %lv3 = relax.matmul %lv, %lv2 : (!relax.tensor<[b, 2, n, 4], f32>, !relax.tensor<[b, 2, 4, m], f32>) -> !relax.tensor<[b, 2, n, m], f32>
    %c_2 = relax.constant dense<1.000000e+00> : tensor<f32>
    %lv4 = relax.shape [n, m]
    %lv5 = relax.full %lv4, %c_2 : (!relax.shape<[n, m]>, !relax.tensor<[], f32>) -> !relax.tensor<[n, m], f32>
    %lv6 = relax.tril %lv5 {k = 0 : i64} : (!relax.tensor<[n, m], f32>) -> !relax.tensor<[n, m], f32>
    %c_3 = relax.constant dense<0.000000e+00> : tensor<f32>
    %lv7 = relax.equal %lv6, %c_3 : (!relax.tensor<[n, m], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[n, m], i1>
    %c_4 = relax.constant dense<"0x000080FF"> : tensor<f32>
    %c_5 = relax.constant dense<0.000000e+00> : tensor<f32>
    %lv8 = relax.where %lv7, %c_4, %c_5 : (!relax.tensor<[n, m], i1>, !relax.tensor<[], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[n, m], f32>
    %lv9 = relax.add %lv3, %lv8 : (!relax.tensor<[b, 2, n, m], f32>, !relax.tensor<[n, m], f32>) -> !relax.tensor<[b, 2, n, m], f32>
    %lv10 = relax.softmax %lv9 {axis = -1 : i64} : (!relax.tensor<[b, 2, n, m], f32>) -> !relax.tensor<[b, 2, n, m], f32>
    %lv11 = relax.matmul %lv10, %v : (!relax.tensor<[b, 2, n, m], f32>, !relax.tensor<[b, 2, m, 8], f32>) -> !relax.tensor<[b, 2, n, 8], f32>
    relax.output %lv11 : !relax.tensor<[b, 2, n, 8], f32>
  }
  relax.return %gv : !relax.tensor<[b, 2, n, 8], f32>
}
relax.func @llama(%q: !relax.tensor<[b, n, 8, 4], f16>, %k: !relax.tensor<[b, m, 2, 4], f16>, %v: !relax.tensor<[b, m, 2, 4], f16>, %mask: !relax.tensor<[b, 1, n, m], f16>) -> !relax.tensor<[b, n, 8, 4], f16> {
  %gv = relax.dataflow {
    %lv = relax.permute_dims %q {axes = array<i64: 0, 2, 1, 3>} : (!relax.tensor<[b, n, 8, 4], f16>) -> !relax.tensor<[b, 8, n, 4], f16>
    %lv1 = relax.permute_dims %k {axes = array<i64: 0, 2, 1, 3>} : (!relax.tensor<[b, m, 2, 4], f16>) -> !relax.tensor<[b, 2, m, 4], f16>
    %lv2 = relax.expand_dims %lv1 {axis = array<i64: 2>} : (!relax.tensor<[b, 2, m, 4], f16>) -> !relax.tensor<[b, 2, 1, m, 4], f16>
    %lv3 = relax.shape [b, 2, 4, m, 4]
    %lv4 = relax.broadcast_to %lv2, %lv3 : (!relax.tensor<[b, 2, 1, m, 4], f16>, !relax.shape<[b, 2, 4, m, 4]>) -> !relax.tensor<[b, 2, 4, m, 4], f16>
    %lv5 = relax.shape [b, 8, m, 4]
    %lv6 = relax.reshape %lv4, %lv5 : (!relax.tensor<[b, 2, 4, m, 4], f16>, !relax.shape<[b, 8, m, 4]>) -> !relax.tensor<[b, 8, m, 4], f16>
    %lv7 = relax.permute_dims %lv6 {axes = array<i64: 0, 1, 3, 2>} : (!relax.tensor<[b, 8, m, 4], f16>) -> !relax.tensor<[b, 8, 4, m], f16>
    %lv8 = relax.matmul %lv, %lv7 : (!relax.tensor<[b, 8, n, 4], f16>, !relax.tensor<[b, 8, 4, m], f16>) -> !relax.tensor<[b, 8, n, m], f16>
    %c = relax.constant dense<2.000000e+00> : tensor<f16>
    %lv9 = relax.divide %lv8, %c : (!relax.tensor<[b, 8, n, m], f16>, !relax.tensor<[], f16>) -> !relax.tensor<[b, 8, n, m], f16>
    %lv10 = relax.add %lv9, %mask : (!relax.tensor<[b, 8, n, m], f16>, !relax.tensor<[b, 1, n, m], f16>) -> !relax.tensor<[b, 8, n, m], f16>
    %lv11 = relax.astype %lv10 {dtype = f32} : (!relax.tensor<[b, 8, n, m], f16>) -> !relax.tensor<[b, 8, n, m], f32>
    %lv12 = relax.softmax %lv11 {axis = -1 : i64} : (!relax.tensor<[b, 8, n, m], f32>) -> !relax.tensor<[b, 8, n, m], f32>
    %lv13 = relax.astype %lv12 {dtype = f16} : (!relax.tensor<[b, 8, n, m], f32>) -> !relax.tensor<[b, 8, n, m], f16>
    %lv14, %lv15 = relax.dropout %lv13 : (!relax.tensor<[b, 8, n, m], f16>) -> (!relax.tensor<[b, 8, n, m], f16>, !relax.tensor<[b, 8, n, m], f16>)
    %lv16 = relax.permute_dims %v {axes = array<i64: 0, 2, 1, 3>} : (!relax.tensor<[b, m, 2, 4], f16>) -> !relax.tensor<[b, 2, m, 4], f16>
    %lv17 = relax.expand_dims %lv16 {axis = array<i64: 2>} : (!relax.tensor<[b, 2, m, 4], f16>) -> !relax.tensor<[b, 2, 1, m, 4], f16>
    %lv18 = relax.shape [b, 2, 4, m, 4]
    %lv19 = relax.broadcast_to %lv17, %lv18 : (!relax.tensor<[b, 2, 1, m, 4], f16>, !relax.shape<[b, 2, 4, m, 4]>) -> !relax.tensor<[b, 2, 4, m, 4], f16>
    %lv20 = relax.shape [b, 8, m, 4]
    %lv21 = relax.reshape %lv19, %lv20 : (!relax.tensor<[b, 2, 4, m, 4], f16>, !relax.shape<[b, 8, m, 4]>) -> !relax.tensor<[b, 8, m, 4], f16>
    %lv22 = relax.matmul %lv14, %lv21 : (!relax.tensor<[b, 8, n, m], f16>, !relax.tensor<[b, 8, m, 4], f16>) -> !relax.tensor<[b, 8, n, 4], f16>
    %lv23 = relax.permute_dims %lv22 {axes = array<i64: 0, 2, 1, 3>} : (!relax.tensor<[b, 8, n, 4], f16>) -> !relax.tensor<[b, n, 8, 4], f16>
    relax.output %lv23 : !relax.tensor<[b, n, 8, 4], f16>
  }
  relax.return %gv : !relax.tensor<[b, n, 8, 4], f16>
}
relax.func @without_heads(%q: !relax.tensor<[b, n, 4], f32>, %k: !relax.tensor<[b, m, 4], f32>, %v: !relax.tensor<[b, m, 8], f32>, %mask: !relax.tensor<[b, 1, m], i1>) -> !relax.tensor<[b, n, 8], f32> {
  %gv = relax.dataflow {
    %lv = relax.permute_dims %k {axes = array<i64: 0, 2, 1>} : (!relax.tensor<[b, m, 4], f32>) -> !relax.tensor<[b, 4, m], f32>
    %lv1 = relax.matmul %q, %lv : (!relax.tensor<[b, n, 4], f32>, !relax.tensor<[b, 4, m], f32>) -> !relax.tensor<[b, n, m], f32>
    %c = relax.constant dense<"0x000080FF"> : tensor<f32>
    %lv2 = relax.where %mask, %lv1, %c : (!relax.tensor<[b, 1, m], i1>, !relax.tensor<[b, n, m], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[b, n, m], f32>
    %lv3 = relax.softmax %lv2 {axis = -1 : i64} : (!relax.tensor<[b, n, m], f32>) -> !relax.tensor<[b, n, m], f32>
    %lv4 = relax.matmul %lv3, %v : (!relax.tensor<[b, n, m], f32>, !relax.tensor<[b, m, 8], f32>) -> !relax.tensor<[b, n, 8], f32>
    relax.output %lv4 : !relax.tensor<[b, n, 8], f32>
  }
  relax.return %gv : !relax.tensor<[b, n, 8], f32>
}

// Another axis, a vector for a scale, a mask that widens the scores, a number that hides little, shares used outside, q spread.
relax.func @other_axis(%q: !relax.tensor<[b, 2, n, 4], f32>, %k: !relax.tensor<[b, 2, m, 4], f32>, %v: !relax.tensor<[b, 2, m, 8], f32>) -> !relax.tensor<[b, 2, n, 8], f32> {
  %gv = relax.dataflow {
    %lv = relax.permute_dims %k {axes = array<i64: 0, 1, 3, 2>} : (!relax.tensor<[b, 2, m, 4], f32>) -> !relax.tensor<[b, 2, 4, m], f32>
    %lv1 = relax.matmul %q, %lv : (!relax.tensor<[b, 2, n, 4], f32>, !relax.tensor<[b, 2, 4, m], f32>) -> !relax.tensor<[b, 2, n, m], f32>
    %c = relax.constant dense<2.000000e+00> : tensor<f32>
    %lv2 = relax.divide %lv1, %c : (!relax.tensor<[b, 2, n, m], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[b, 2, n, m], f32>
    %lv3 = relax.softmax %lv2 {axis = 2 : i64} : (!relax.tensor<[b, 2, n, m], f32>) -> !relax.tensor<[b, 2, n, m], f32>
    %lv4 = relax.matmul %lv3, %v : (!relax.tensor<[b, 2, n, m], f32>, !relax.tensor<[b, 2, m, 8], f32>) -> !relax.tensor<[b, 2, n, 8], f32>
    relax.output %lv4 : !relax.tensor<[b, 2, n, 8], f32>
  }
  relax.return %gv : !relax.tensor<[b, 2, n, 8], f32>
}
relax.func @vector(%q: !relax.tensor<[b, 2, n, 4], f32>, %k: !relax.tensor<[b, 2, m, 4], f32>, %v: !relax.tensor<[b, 2, m, 8], f32>, %mask: !relax.tensor<[m], f32>) -> !relax.tensor<[b, 2, n, 8], f32> {
  %gv = relax.dataflow {
    %lv = relax.permute_dims %k {axes = array<i64: 0, 1, 3, 2>} : (!relax.tensor<[b, 2, m, 4], f32>) -> !relax.tensor<[b, 2, 4, m], f32>
    %lv1 = relax.matmul %q, %lv : (!relax.tensor<[b, 2, n, 4], f32>, !relax.tensor<[b, 2, 4, m], f32>) -> !relax.tensor<[b, 2, n, m], f32>
    %lv2 = relax.multiply %lv1, %mask : (!relax.tensor<[b, 2, n, m], f32>, !relax.tensor<[m], f32>) -> !relax.tensor<[b, 2, n, m], f32>
    %lv3 = relax.softmax %lv2 {axis = -1 : i64} : (!relax.tensor<[b, 2, n, m], f32>) -> !relax.tensor<[b, 2, n, m], f32>
    %lv4 = relax.matmul %lv3, %v : (!relax.tensor<[b, 2, n, m], f32>, !relax.tensor<[b, 2, m, 8], f32>) -> !relax.tensor<[b, 2, n, 8], f32>
    relax.output %lv4 : !relax.tensor<[b, 2, n, 8], f32>
  }
  relax.return %gv : !relax.tensor<[b, 2, n, 8], f32>
}
relax.func @widened(%q: !relax.tensor<[1, 2, n, 4], f32>, %k: !relax.tensor<[1, 2, m, 4], f32>, %v: !relax.tensor<[1, 2, m, 8], f32>, %mask: !relax.tensor<[b, 1, n, m], f32>) -> !relax.tensor<[b, 2, n, 8], f32> {
  %gv = relax.dataflow {
    %lv = relax.permute_dims %k {axes = array<i64: 0, 1, 3, 2>} : (!relax.tensor<[1, 2, m, 4], f32>) -> !relax.tensor<[1, 2, 4, m], f32>
    %lv1 = relax.matmul %q, %lv : (!relax.tensor<[1, 2, n, 4], f32>, !relax.tensor<[1, 2, 4, m], f32>) -> !relax.tensor<[1, 2, n, m], f32>
    %lv2 = relax.add %lv1, %mask : (!relax.tensor<[1, 2, n, m], f32>, !relax.tensor<[b, 1, n, m], f32>) -> !relax.tensor<[b, 2, n, m], f32>
    %lv3 = relax.softmax %lv2 {axis = -1 : i64} : (!relax.tensor<[b, 2, n, m], f32>) -> !relax.tensor<[b, 2, n, m], f32>
    %lv4 = relax.matmul %lv3, %v : (!relax.tensor<[b, 2, n, m], f32>, !relax.tensor<[1, 2, m, 8], f32>) -> !relax.tensor<[b, 2, n, 8], f32>
    relax.output %lv4 : !relax.tensor<[b, 2, n, 8], f32>
  }
  relax.return %gv : !relax.tensor<[b, 2, n, 8], f32>
}
relax.func @hides_little(%q: !relax.tensor<[b, 2, n, 4], f32>, %k: !relax.tensor<[b, 2, m, 4], f32>, %v: !relax.tensor<[b, 2, m, 8], f32>, %mask: !relax.tensor<[n, m], i1>) -> !relax.tensor<[b, 2, n, 8], f32> {
  %gv = relax.dataflow {
    %lv = relax.permute_dims %k {axes = array<i64: 0, 1, 3, 2>} : (!relax.tensor<[b, 2, m, 4], f32>) -> !relax.tensor<[b, 2, 4, m], f32>
    %lv1 = relax.matmul %q, %lv : (!relax.tensor<[b, 2, n, 4], f32>, !relax.tensor<[b, 2, 4, m], f32>) -> !relax.tensor<[b, 2, n, m], f32>
    %c = relax.constant dense<-1.000000e+02> : tensor<f32>
    %lv2 = relax.where %mask, %lv1, %c : (!relax.tensor<[n, m], i1>, !relax.tensor<[b, 2, n, m], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[b, 2, n, m], f32>
    %lv3 = relax.softmax %lv2 {axis = -1 : i64} : (!relax.tensor<[b, 2, n, m], f32>) -> !relax.tensor<[b, 2, n, m], f32>
    %lv4 = relax.matmul %lv3, %v : (!relax.tensor<[b, 2, n, m], f32>, !relax.tensor<[b, 2, m, 8], f32>) -> !relax.tensor<[b, 2, n, 8], f32>
    relax.output %lv4 : !relax.tensor<[b, 2, n, 8], f32>
  }
  relax.return %gv : !relax.tensor<[b, 2, n, 8], f32>
}
relax.func @used_shares(%q: !relax.tensor<[b, 2, n, 4], f32>, %k: !relax.tensor<[b, 2, m, 4], f32>, %v: !relax.tensor<[b, 2, m, 8], f32>) -> tuple<!relax.tensor<[b, 2, n, 8], f32>, !relax.tensor<[b, 2, n, m], f32>> {
  %gv = relax.dataflow {
    %lv = relax.permute_dims %k {axes = array<i64: 0, 1, 3, 2>} : (!relax.tensor<[b, 2, m, 4], f32>) -> !relax.tensor<[b, 2, 4, m], f32>
    %lv1 = relax.matmul %q, %lv : (!relax.tensor<[b, 2, n, 4], f32>, !relax.tensor<[b, 2, 4, m], f32>) -> !relax.tensor<[b, 2, n, m], f32>
    %lv2 = relax.softmax %lv1 {axis = -1 : i64} : (!relax.tensor<[b, 2, n, m], f32>) -> !relax.tensor<[b, 2, n, m], f32>
    %lv3 = relax.matmul %lv2, %v : (!relax.tensor<[b, 2, n, m], f32>, !relax.tensor<[b, 2, m, 8], f32>) -> !relax.tensor<[b, 2, n, 8], f32>
    %lv4 = relax.tuple %lv3, %lv2 : (!relax.tensor<[b, 2, n, 8], f32>, !relax.tensor<[b, 2, n, m], f32>) -> tuple<!relax.tensor<[b, 2, n, 8], f32>, !relax.tensor<[b, 2, n, m], f32>>
    relax.output %lv4 : tuple<!relax.tensor<[b, 2, n, 8], f32>, !relax.tensor<[b, 2, n, m], f32>>
  }
  relax.return %gv : tuple<!relax.tensor<[b, 2, n, 8], f32>, !relax.tensor<[b, 2, n, m], f32>>
}
relax.func @spread(%q: !relax.tensor<[b, 1, n, 4], f32>, %k: !relax.tensor<[b, 2, m, 4], f32>, %v: !relax.tensor<[b, 2, m, 8], f32>) -> !relax.tensor<[b, 2, n, 8], f32> {
  %gv = relax.dataflow {
    %lv = relax.permute_dims %k {axes = array<i64: 0, 1, 3, 2>} : (!relax.tensor<[b, 2, m, 4], f32>) -> !relax.tensor<[b, 2, 4, m], f32>
    %lv1 = relax.matmul %q, %lv : (!relax.tensor<[b, 1, n, 4], f32>, !relax.tensor<[b, 2, 4, m], f32>) -> !relax.tensor<[b, 2, n, m], f32>
    %lv2 = relax.softmax %lv1 {axis = -1 : i64} : (!relax.tensor<[b, 2, n, m], f32>) -> !relax.tensor<[b, 2, n, m], f32>
    %lv3 = relax.matmul %lv2, %v : (!relax.tensor<[b, 2, n, m], f32>, !relax.tensor<[b, 2, m, 8], f32>) -> !relax.tensor<[b, 2, n, 8], f32>
    relax.output %lv3 : !relax.tensor<[b, 2, n, 8], f32>
  }
  relax.return %gv : !relax.tensor<[b, 2, n, 8], f32>
}

// CHECK:       relax.func @torch_decomposed(%q: !relax.tensor<[b, 2, n, 4], f32>, %k: !relax.tensor<[b, 2, m, 4], f32>, %v: !relax.tensor<[b, 2, m, 8], f32>, %mask: !relax.tensor<[b, 1, n, m], f32>) -> !relax.tensor<[b, 2, n, 8], f32> {
// CHECK-NEXT:    %gv = relax.dataflow {
// CHECK-NEXT:      %lv24 = relax.permute_dims %q {axes = array<i64: 0, 2, 1, 3>} : (!relax.tensor<[b, 2, n, 4], f32>) -> !relax.tensor<[b, n, 2, 4], f32>
// CHECK-NEXT:      %lv24_1 = relax.permute_dims %k {axes = array<i64: 0, 2, 1, 3>} : (!relax.tensor<[b, 2, m, 4], f32>) -> !relax.tensor<[b, m, 2, 4], f32>
// CHECK-NEXT:      %lv24_2 = relax.permute_dims %v {axes = array<i64: 0, 2, 1, 3>} : (!relax.tensor<[b, 2, m, 8], f32>) -> !relax.tensor<[b, m, 2, 8], f32>
// CHECK-NEXT:      %lv24_3 = relax.attention %lv24, %lv24_1, %lv24_2, %mask : (!relax.tensor<[b, n, 2, 4], f32>, !relax.tensor<[b, m, 2, 4], f32>, !relax.tensor<[b, m, 2, 8], f32>, !relax.tensor<[b, 1, n, m], f32>) -> !relax.tensor<[b, n, 2, 8], f32>
// CHECK-NEXT:      %lv24_4 = relax.permute_dims %lv24_3 {axes = array<i64: 0, 2, 1, 3>} : (!relax.tensor<[b, n, 2, 8], f32>) -> !relax.tensor<[b, 2, n, 8], f32>
// CHECK-NEXT:      relax.output %lv24_4 : !relax.tensor<[b, 2, n, 8], f32>
// CHECK-NEXT:    }
// CHECK-NEXT:    relax.return %gv : !relax.tensor<[b, 2, n, 8], f32>
// CHECK-NEXT:  }
// CHECK:       relax.func @onnx_mask(%q: !relax.tensor<[b, 2, n, 4], f32>, %k: !relax.tensor<[b, 2, m, 4], f32>, %v: !relax.tensor<[b, 2, m, 8], f32>, %mask: !relax.tensor<[n, m], i1>) -> !relax.tensor<[b, 2, n, 8], f32> {
// CHECK-NEXT:    %gv = relax.dataflow {
// CHECK-NEXT:      %c = relax.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT:      %c_1 = relax.constant dense<"0x000080FF"> : tensor<f32>
// CHECK-NEXT:      %lv4 = relax.where %mask, %c, %c_1 : (!relax.tensor<[n, m], i1>, !relax.tensor<[], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[n, m], f32>
// CHECK-NEXT:      %lv9 = relax.permute_dims %q {axes = array<i64: 0, 2, 1, 3>} : (!relax.tensor<[b, 2, n, 4], f32>) -> !relax.tensor<[b, n, 2, 4], f32>
// CHECK-NEXT:      %lv9_1 = relax.permute_dims %k {axes = array<i64: 0, 2, 1, 3>} : (!relax.tensor<[b, 2, m, 4], f32>) -> !relax.tensor<[b, m, 2, 4], f32>
// CHECK-NEXT:      %lv9_2 = relax.permute_dims %v {axes = array<i64: 0, 2, 1, 3>} : (!relax.tensor<[b, 2, m, 8], f32>) -> !relax.tensor<[b, m, 2, 8], f32>
// CHECK-NEXT:      %lv9_3 = relax.expand_dims %lv4 {axis = array<i64: 0, 1>} : (!relax.tensor<[n, m], f32>) -> !relax.tensor<[1, 1, n, m], f32>
// CHECK-NEXT:      %lv9_4 = relax.attention %lv9, %lv9_1, %lv9_2, %lv9_3 : (!relax.tensor<[b, n, 2, 4], f32>, !relax.tensor<[b, m, 2, 4], f32>, !relax.tensor<[b, m, 2, 8], f32>, !relax.tensor<[1, 1, n, m], f32>) -> !relax.tensor<[b, n, 2, 8], f32>
// CHECK-NEXT:      %lv9_5 = relax.permute_dims %lv9_4 {axes = array<i64: 0, 2, 1, 3>} : (!relax.tensor<[b, n, 2, 8], f32>) -> !relax.tensor<[b, 2, n, 8], f32>
// CHECK-NEXT:      relax.output %lv9_5 : !relax.tensor<[b, 2, n, 8], f32>
// CHECK-NEXT:    }
// CHECK-NEXT:    relax.return %gv : !relax.tensor<[b, 2, n, 8], f32>
// CHECK-NEXT:  }
// CHECK:       relax.func @onnx_causal(%q: !relax.tensor<[b, 2, n, 4], f32>, %k: !relax.tensor<[b, 2, m, 4], f32>, %v: !relax.tensor<[b, 2, m, 8], f32>) -> !relax.tensor<[b, 2, n, 8], f32> {
// CHECK-NEXT:    %gv = relax.dataflow {
// CHECK-NEXT:      %lv11 = relax.permute_dims %q {axes = array<i64: 0, 2, 1, 3>} : (!relax.tensor<[b, 2, n, 4], f32>) -> !relax.tensor<[b, n, 2, 4], f32>
// CHECK-NEXT:      %lv11_1 = relax.permute_dims %k {axes = array<i64: 0, 2, 1, 3>} : (!relax.tensor<[b, 2, m, 4], f32>) -> !relax.tensor<[b, m, 2, 4], f32>
// CHECK-NEXT:      %lv11_2 = relax.permute_dims %v {axes = array<i64: 0, 2, 1, 3>} : (!relax.tensor<[b, 2, m, 8], f32>) -> !relax.tensor<[b, m, 2, 8], f32>
// CHECK-NEXT:      %lv11_3 = relax.attention %lv11, %lv11_1, %lv11_2 {causal_mask = "TopLeft"} : (!relax.tensor<[b, n, 2, 4], f32>, !relax.tensor<[b, m, 2, 4], f32>, !relax.tensor<[b, m, 2, 8], f32>) -> !relax.tensor<[b, n, 2, 8], f32>
// CHECK-NEXT:      %lv11_4 = relax.permute_dims %lv11_3 {axes = array<i64: 0, 2, 1, 3>} : (!relax.tensor<[b, n, 2, 8], f32>) -> !relax.tensor<[b, 2, n, 8], f32>
// CHECK-NEXT:      relax.output %lv11_4 : !relax.tensor<[b, 2, n, 8], f32>
// CHECK-NEXT:    }
// CHECK-NEXT:    relax.return %gv : !relax.tensor<[b, 2, n, 8], f32>
// CHECK-NEXT:  }
// CHECK:       relax.func @llama(%q: !relax.tensor<[b, n, 8, 4], f16>, %k: !relax.tensor<[b, m, 2, 4], f16>, %v: !relax.tensor<[b, m, 2, 4], f16>, %mask: !relax.tensor<[b, 1, n, m], f16>) -> !relax.tensor<[b, n, 8, 4], f16> {
// CHECK-NEXT:    %gv = relax.dataflow {
// CHECK-NEXT:      %lv22 = relax.attention %q, %k, %v, %mask : (!relax.tensor<[b, n, 8, 4], f16>, !relax.tensor<[b, m, 2, 4], f16>, !relax.tensor<[b, m, 2, 4], f16>, !relax.tensor<[b, 1, n, m], f16>) -> !relax.tensor<[b, n, 8, 4], f16>
// CHECK-NEXT:      relax.output %lv22 : !relax.tensor<[b, n, 8, 4], f16>
// CHECK-NEXT:    }
// CHECK-NEXT:    relax.return %gv : !relax.tensor<[b, n, 8, 4], f16>
// CHECK-NEXT:  }
// CHECK:       relax.func @without_heads(%q: !relax.tensor<[b, n, 4], f32>, %k: !relax.tensor<[b, m, 4], f32>, %v: !relax.tensor<[b, m, 8], f32>, %mask: !relax.tensor<[b, 1, m], i1>) -> !relax.tensor<[b, n, 8], f32> {
// CHECK-NEXT:    %gv = relax.dataflow {
// CHECK-NEXT:      %lv4 = relax.expand_dims %q {axis = array<i64: 2>} : (!relax.tensor<[b, n, 4], f32>) -> !relax.tensor<[b, n, 1, 4], f32>
// CHECK-NEXT:      %lv4_1 = relax.expand_dims %k {axis = array<i64: 2>} : (!relax.tensor<[b, m, 4], f32>) -> !relax.tensor<[b, m, 1, 4], f32>
// CHECK-NEXT:      %lv4_2 = relax.expand_dims %v {axis = array<i64: 2>} : (!relax.tensor<[b, m, 8], f32>) -> !relax.tensor<[b, m, 1, 8], f32>
// CHECK-NEXT:      %lv4_3 = relax.expand_dims %mask {axis = array<i64: 1>} : (!relax.tensor<[b, 1, m], i1>) -> !relax.tensor<[b, 1, 1, m], i1>
// CHECK-NEXT:      %lv4_4 = relax.attention %lv4, %lv4_1, %lv4_2, %lv4_3 {scale = 1.000000e+00 : f64} : (!relax.tensor<[b, n, 1, 4], f32>, !relax.tensor<[b, m, 1, 4], f32>, !relax.tensor<[b, m, 1, 8], f32>, !relax.tensor<[b, 1, 1, m], i1>) -> !relax.tensor<[b, n, 1, 8], f32>
// CHECK-NEXT:      %lv4_5 = relax.squeeze %lv4_4 {axis = array<i64: 2>} : (!relax.tensor<[b, n, 1, 8], f32>) -> !relax.tensor<[b, n, 8], f32>
// CHECK-NEXT:      relax.output %lv4_5 : !relax.tensor<[b, n, 8], f32>
// CHECK-NEXT:    }
// CHECK-NEXT:    relax.return %gv : !relax.tensor<[b, n, 8], f32>
// CHECK-NEXT:  }
// CHECK:       relax.func @other_axis(%q: !relax.tensor<[b, 2, n, 4], f32>, %k: !relax.tensor<[b, 2, m, 4], f32>, %v: !relax.tensor<[b, 2, m, 8], f32>) -> !relax.tensor<[b, 2, n, 8], f32> {
// CHECK-NEXT:    %gv = relax.dataflow {
// CHECK-NEXT:      %lv = relax.permute_dims %k {axes = array<i64: 0, 1, 3, 2>} : (!relax.tensor<[b, 2, m, 4], f32>) -> !relax.tensor<[b, 2, 4, m], f32>
// CHECK-NEXT:      %lv1 = relax.matmul %q, %lv : (!relax.tensor<[b, 2, n, 4], f32>, !relax.tensor<[b, 2, 4, m], f32>) -> !relax.tensor<[b, 2, n, m], f32>
// CHECK-NEXT:      %c = relax.constant dense<2.000000e+00> : tensor<f32>
// CHECK-NEXT:      %lv2 = relax.divide %lv1, %c : (!relax.tensor<[b, 2, n, m], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[b, 2, n, m], f32>
// CHECK-NEXT:      %lv3 = relax.softmax %lv2 {axis = 2 : i64} : (!relax.tensor<[b, 2, n, m], f32>) -> !relax.tensor<[b, 2, n, m], f32>
// CHECK-NEXT:      %lv4 = relax.matmul %lv3, %v : (!relax.tensor<[b, 2, n, m], f32>, !relax.tensor<[b, 2, m, 8], f32>) -> !relax.tensor<[b, 2, n, 8], f32>
// CHECK-NEXT:      relax.output %lv4 : !relax.tensor<[b, 2, n, 8], f32>
// CHECK-NEXT:    }
// CHECK-NEXT:    relax.return %gv : !relax.tensor<[b, 2, n, 8], f32>
// CHECK-NEXT:  }
// CHECK:       relax.func @vector(%q: !relax.tensor<[b, 2, n, 4], f32>, %k: !relax.tensor<[b, 2, m, 4], f32>, %v: !relax.tensor<[b, 2, m, 8], f32>, %mask: !relax.tensor<[m], f32>) -> !relax.tensor<[b, 2, n, 8], f32> {
// CHECK-NEXT:    %gv = relax.dataflow {
// CHECK-NEXT:      %lv = relax.permute_dims %k {axes = array<i64: 0, 1, 3, 2>} : (!relax.tensor<[b, 2, m, 4], f32>) -> !relax.tensor<[b, 2, 4, m], f32>
// CHECK-NEXT:      %lv1 = relax.matmul %q, %lv : (!relax.tensor<[b, 2, n, 4], f32>, !relax.tensor<[b, 2, 4, m], f32>) -> !relax.tensor<[b, 2, n, m], f32>
// CHECK-NEXT:      %lv2 = relax.multiply %lv1, %mask : (!relax.tensor<[b, 2, n, m], f32>, !relax.tensor<[m], f32>) -> !relax.tensor<[b, 2, n, m], f32>
// CHECK-NEXT:      %lv3 = relax.softmax %lv2 {axis = -1 : i64} : (!relax.tensor<[b, 2, n, m], f32>) -> !relax.tensor<[b, 2, n, m], f32>
// CHECK-NEXT:      %lv4 = relax.matmul %lv3, %v : (!relax.tensor<[b, 2, n, m], f32>, !relax.tensor<[b, 2, m, 8], f32>) -> !relax.tensor<[b, 2, n, 8], f32>
// CHECK-NEXT:      relax.output %lv4 : !relax.tensor<[b, 2, n, 8], f32>
// CHECK-NEXT:    }
// CHECK-NEXT:    relax.return %gv : !relax.tensor<[b, 2, n, 8], f32>
// CHECK-NEXT:  }
// CHECK:       relax.func @widened(%q: !relax.tensor<[1, 2, n, 4], f32>, %k: !relax.tensor<[1, 2, m, 4], f32>, %v: !relax.tensor<[1, 2, m, 8], f32>, %mask: !relax.tensor<[b, 1, n, m], f32>) -> !relax.tensor<[b, 2, n, 8], f32> {
// CHECK-NEXT:    %gv = relax.dataflow {
// CHECK-NEXT:      %lv = relax.permute_dims %k {axes = array<i64: 0, 1, 3, 2>} : (!relax.tensor<[1, 2, m, 4], f32>) -> !relax.tensor<[1, 2, 4, m], f32>
// CHECK-NEXT:      %lv1 = relax.matmul %q, %lv : (!relax.tensor<[1, 2, n, 4], f32>, !relax.tensor<[1, 2, 4, m], f32>) -> !relax.tensor<[1, 2, n, m], f32>
// CHECK-NEXT:      %lv2 = relax.add %lv1, %mask : (!relax.tensor<[1, 2, n, m], f32>, !relax.tensor<[b, 1, n, m], f32>) -> !relax.tensor<[b, 2, n, m], f32>
// CHECK-NEXT:      %lv3 = relax.softmax %lv2 {axis = -1 : i64} : (!relax.tensor<[b, 2, n, m], f32>) -> !relax.tensor<[b, 2, n, m], f32>
// CHECK-NEXT:      %lv4 = relax.matmul %lv3, %v : (!relax.tensor<[b, 2, n, m], f32>, !relax.tensor<[1, 2, m, 8], f32>) -> !relax.tensor<[b, 2, n, 8], f32>
// CHECK-NEXT:      relax.output %lv4 : !relax.tensor<[b, 2, n, 8], f32>
// CHECK-NEXT:    }
// CHECK-NEXT:    relax.return %gv : !relax.tensor<[b, 2, n, 8], f32>
// CHECK-NEXT:  }
// CHECK:       relax.func @hides_little(%q: !relax.tensor<[b, 2, n, 4], f32>, %k: !relax.tensor<[b, 2, m, 4], f32>, %v: !relax.tensor<[b, 2, m, 8], f32>, %mask: !relax.tensor<[n, m], i1>) -> !relax.tensor<[b, 2, n, 8], f32> {
// CHECK-NEXT:    %gv = relax.dataflow {
// CHECK-NEXT:      %lv = relax.permute_dims %k {axes = array<i64: 0, 1, 3, 2>} : (!relax.tensor<[b, 2, m, 4], f32>) -> !relax.tensor<[b, 2, 4, m], f32>
// CHECK-NEXT:      %lv1 = relax.matmul %q, %lv : (!relax.tensor<[b, 2, n, 4], f32>, !relax.tensor<[b, 2, 4, m], f32>) -> !relax.tensor<[b, 2, n, m], f32>
// CHECK-NEXT:      %c = relax.constant dense<-1.000000e+02> : tensor<f32>
// CHECK-NEXT:      %lv2 = relax.where %mask, %lv1, %c : (!relax.tensor<[n, m], i1>, !relax.tensor<[b, 2, n, m], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[b, 2, n, m], f32>
// CHECK-NEXT:      %lv3 = relax.softmax %lv2 {axis = -1 : i64} : (!relax.tensor<[b, 2, n, m], f32>) -> !relax.tensor<[b, 2, n, m], f32>
// CHECK-NEXT:      %lv4 = relax.matmul %lv3, %v : (!relax.tensor<[b, 2, n, m], f32>, !relax.tensor<[b, 2, m, 8], f32>) -> !relax.tensor<[b, 2, n, 8], f32>
// CHECK-NEXT:      relax.output %lv4 : !relax.tensor<[b, 2, n, 8], f32>
// CHECK-NEXT:    }
// CHECK-NEXT:    relax.return %gv : !relax.tensor<[b, 2, n, 8], f32>
// CHECK-NEXT:  }
// CHECK:       relax.func @used_shares(%q: !relax.tensor<[b, 2, n, 4], f32>, %k: !relax.tensor<[b, 2, m, 4], f32>, %v: !relax.tensor<[b, 2, m, 8], f32>) -> tuple<!relax.tensor<[b, 2, n, 8], f32>, !relax.tensor<[b, 2, n, m], f32>> {
// CHECK-NEXT:    %gv = relax.dataflow {
// CHECK-NEXT:      %lv = relax.permute_dims %k {axes = array<i64: 0, 1, 3, 2>} : (!relax.tensor<[b, 2, m, 4], f32>) -> !relax.tensor<[b, 2, 4, m], f32>
// CHECK-NEXT:      %lv1 = relax.matmul %q, %lv : (!relax.tensor<[b, 2, n, 4], f32>, !relax.tensor<[b, 2, 4, m], f32>) -> !relax.tensor<[b, 2, n, m], f32>
// CHECK-NEXT:      %lv2 = relax.softmax %lv1 {axis = -1 : i64} : (!relax.tensor<[b, 2, n, m], f32>) -> !relax.tensor<[b, 2, n, m], f32>
// CHECK-NEXT:      %lv3 = relax.matmul %lv2, %v : (!relax.tensor<[b, 2, n, m], f32>, !relax.tensor<[b, 2, m, 8], f32>) -> !relax.tensor<[b, 2, n, 8], f32>
// CHECK-NEXT:      %lv4 = relax.tuple %lv3, %lv2 : (!relax.tensor<[b, 2, n, 8], f32>, !relax.tensor<[b, 2, n, m], f32>) -> tuple<!relax.tensor<[b, 2, n, 8], f32>, !relax.tensor<[b, 2, n, m], f32>>
// CHECK-NEXT:      relax.output %lv4 : tuple<!relax.tensor<[b, 2, n, 8], f32>, !relax.tensor<[b, 2, n, m], f32>>
// CHECK-NEXT:    }
// CHECK-NEXT:    relax.return %gv : tuple<!relax.tensor<[b, 2, n, 8], f32>, !relax.tensor<[b, 2, n, m], f32>>
// CHECK-NEXT:  }
// CHECK:       relax.func @spread(%q: !relax.tensor<[b, 1, n, 4], f32>, %k: !relax.tensor<[b, 2, m, 4], f32>, %v: !relax.tensor<[b, 2, m, 8], f32>) -> !relax.tensor<[b, 2, n, 8], f32> {
// CHECK-NEXT:    %gv = relax.dataflow {
// CHECK-NEXT:      %lv = relax.permute_dims %k {axes = array<i64: 0, 1, 3, 2>} : (!relax.tensor<[b, 2, m, 4], f32>) -> !relax.tensor<[b, 2, 4, m], f32>
// CHECK-NEXT:      %lv1 = relax.matmul %q, %lv : (!relax.tensor<[b, 1, n, 4], f32>, !relax.tensor<[b, 2, 4, m], f32>) -> !relax.tensor<[b, 2, n, m], f32>
// CHECK-NEXT:      %lv2 = relax.softmax %lv1 {axis = -1 : i64} : (!relax.tensor<[b, 2, n, m], f32>) -> !relax.tensor<[b, 2, n, m], f32>
// CHECK-NEXT:      %lv3 = relax.matmul %lv2, %v : (!relax.tensor<[b, 2, n, m], f32>, !relax.tensor<[b, 2, m, 8], f32>) -> !relax.tensor<[b, 2, n, 8], f32>
// CHECK-NEXT:      relax.output %lv3 : !relax.tensor<[b, 2, n, 8], f32>
// CHECK-NEXT:    }
// CHECK-NEXT:    relax.return %gv : !relax.tensor<[b, 2, n, 8], f32>
// CHECK-NEXT:  }
