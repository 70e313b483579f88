// RUN: relax-opt %s -p relax-recognize-operators,relax-dce | filecheck %s

// Attention as torch.onnx.export(dynamo=True) writes it: the key by views, and half of the scale on either side.
relax.func @dynamo_plain(%x0: !relax.tensor<[b, 2, n, 4], f32>, %x1: !relax.tensor<[b, 2, m, 4], f32>, %x2: !relax.tensor<[b, 2, m, 8], f32>) -> !relax.tensor<[b, 2, n, 8], f32> {
  %gv = relax.dataflow {
    %c = relax.constant dense<5.000000e-01> : tensor<f32>
    %lv = relax.sqrt %c : (!relax.tensor<[], f32>) -> !relax.tensor<[], f32>
    %lv_1 = relax.multiply %x0, %lv : (!relax.tensor<[b, 2, n, 4], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[b, 2, n, 4], f32>
    %lv_2 = relax.shape [2 * b, m, 4]
    %lv_3 = relax.reshape %x1, %lv_2 : (!relax.tensor<[b, 2, m, 4], f32>, !relax.shape<[2 * b, m, 4]>) -> !relax.tensor<[2 * b, m, 4], f32>
    %lv_4 = relax.permute_dims %lv_3 {axes = array<i64: 0, 2, 1>} : (!relax.tensor<[2 * b, m, 4], f32>) -> !relax.tensor<[2 * b, 4, m], f32>
    %lv_5 = relax.shape [b, 2, 4, m]
    %lv_6 = relax.reshape %lv_4, %lv_5 : (!relax.tensor<[2 * b, 4, m], f32>, !relax.shape<[b, 2, 4, m]>) -> !relax.tensor<[b, 2, 4, m], f32>
    %lv_7 = relax.sqrt %c : (!relax.tensor<[], f32>) -> !relax.tensor<[], f32>
    %lv_8 = relax.multiply %lv_6, %lv_7 : (!relax.tensor<[b, 2, 4, m], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[b, 2, 4, m], f32>
    %lv_9 = relax.matmul %lv_1, %lv_8 : (!relax.tensor<[b, 2, n, 4], f32>, !relax.tensor<[b, 2, 4, m], f32>) -> !relax.tensor<[b, 2, n, m], f32>
    %lv_10 = relax.softmax %lv_9 {axis = -1 : i64} : (!relax.tensor<[b, 2, n, m], f32>) -> !relax.tensor<[b, 2, n, m], f32>
    %lv_11 = relax.matmul %lv_10, %x2 : (!relax.tensor<[b, 2, n, m], f32>, !relax.tensor<[b, 2, m, 8], f32>) -> !relax.tensor<[b, 2, n, 8], f32>
    relax.output %lv_11 : !relax.tensor<[b, 2, n, 8], f32>
  }
  relax.return %gv : !relax.tensor<[b, 2, n, 8], f32>
}
relax.func @dynamo_boolean(%x0: !relax.tensor<[b, 2, n, 4], f32>, %x1: !relax.tensor<[b, 2, m, 4], f32>, %x2: !relax.tensor<[b, 2, m, 8], f32>, %x3: !relax.tensor<[n, m], i1>) -> !relax.tensor<[b, 2, n, 8], f32> {
  %gv = relax.dataflow {
    %c = relax.constant dense<5.000000e-01> : tensor<f32>
    %lv = relax.sqrt %c : (!relax.tensor<[], f32>) -> !relax.tensor<[], f32>
    %lv_1 = relax.multiply %x0, %lv : (!relax.tensor<[b, 2, n, 4], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[b, 2, n, 4], f32>
    %lv_2 = relax.shape [2 * b, m, 4]
    %lv_3 = relax.reshape %x1, %lv_2 : (!relax.tensor<[b, 2, m, 4], f32>, !relax.shape<[2 * b, m, 4]>) -> !relax.tensor<[2 * b, m, 4], f32>
    %lv_4 = relax.permute_dims %lv_3 {axes = array<i64: 0, 2, 1>} : (!relax.tensor<[2 * b, m, 4], f32>) -> !relax.tensor<[2 * b, 4, m], f32>
    %lv_5 = relax.shape [b, 2, 4, m]
    %lv_6 = relax.reshape %lv_4, %lv_5 : (!relax.tensor<[2 * b, 4, m], f32>, !relax.shape<[b, 2, 4, m]>) -> !relax.tensor<[b, 2, 4, m], f32>
    %lv_7 = relax.sqrt %c : (!relax.tensor<[], f32>) -> !relax.tensor<[], f32>
    %lv_8 = relax.multiply %lv_6, %lv_7 : (!relax.tensor<[b, 2, 4, m], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[b, 2, 4, m], f32>
    %lv_9 = relax.matmul %lv_1, %lv_8 : (!relax.tensor<[b, 2, n, 4], f32>, !relax.tensor<[b, 2, 4, m], f32>) -> !relax.tensor<[b, 2, n, m], f32>
    %c_1 = relax.constant dense<0.000000e+00> : tensor<f32>
    %c_2 = relax.constant dense<"0x000080FF"> : tensor<f32>
    %lv_10 = relax.where %x3, %c_1, %c_2 : (!relax.tensor<[n, m], i1>, !relax.tensor<[], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[n, m], f32>
    %lv_11 = relax.add %lv_9, %lv_10 : (!relax.tensor<[b, 2, n, m], f32>, !relax.tensor<[n, m], f32>) -> !relax.tensor<[b, 2, n, m], f32>
    %lv_12 = relax.softmax %lv_11 {axis = -1 : i64} : (!relax.tensor<[b, 2, n, m], f32>) -> !relax.tensor<[b, 2, n, m], f32>
    %lv_13 = relax.isnan %lv_12 : (!relax.tensor<[b, 2, n, m], f32>) -> !relax.tensor<[b, 2, n, m], i1>
    %c_3 = relax.constant dense<0.000000e+00> : tensor<f32>
    %lv_14 = relax.where %lv_13, %c_3, %lv_12 : (!relax.tensor<[b, 2, n, m], i1>, !relax.tensor<[], f32>, !relax.tensor<[b, 2, n, m], f32>) -> !relax.tensor<[b, 2, n, m], f32>
    %lv_15 = relax.matmul %lv_14, %x2 : (!relax.tensor<[b, 2, n, m], f32>, !relax.tensor<[b, 2, m, 8], f32>) -> !relax.tensor<[b, 2, n, 8], f32>
    relax.output %lv_15 : !relax.tensor<[b, 2, n, 8], f32>
  }
  relax.return %gv : !relax.tensor<[b, 2, n, 8], f32>
}
relax.func @dynamo_floating(%x0: !relax.tensor<[b, 2, n, 4], f32>, %x1: !relax.tensor<[b, 2, m, 4], f32>, %x2: !relax.tensor<[b, 2, m, 8], f32>, %x3: !relax.tensor<[b, 1, n, m], f32>) -> !relax.tensor<[b, 2, n, 8], f32> {
  %gv = relax.dataflow {
    %c = relax.constant dense<5.000000e-01> : tensor<f32>
    %lv = relax.sqrt %c : (!relax.tensor<[], f32>) -> !relax.tensor<[], f32>
    %lv_1 = relax.multiply %x0, %lv : (!relax.tensor<[b, 2, n, 4], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[b, 2, n, 4], f32>
    %lv_2 = relax.shape [2 * b, m, 4]
    %lv_3 = relax.reshape %x1, %lv_2 : (!relax.tensor<[b, 2, m, 4], f32>, !relax.shape<[2 * b, m, 4]>) -> !relax.tensor<[2 * b, m, 4], f32>
    %lv_4 = relax.permute_dims %lv_3 {axes = array<i64: 0, 2, 1>} : (!relax.tensor<[2 * b, m, 4], f32>) -> !relax.tensor<[2 * b, 4, m], f32>
    %lv_5 = relax.shape [b, 2, 4, m]
    %lv_6 = relax.reshape %lv_4, %lv_5 : (!relax.tensor<[2 * b, 4, m], f32>, !relax.shape<[b, 2, 4, m]>) -> !relax.tensor<[b, 2, 4, m], f32>
    %lv_7 = relax.sqrt %c : (!relax.tensor<[], f32>) -> !relax.tensor<[], f32>
    %lv_8 = relax.multiply %lv_6, %lv_7 : (!relax.tensor<[b, 2, 4, m], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[b, 2, 4, m], f32>
    %lv_9 = relax.matmul %lv_1, %lv_8 : (!relax.tensor<[b, 2, n, 4], f32>, !relax.tensor<[b, 2, 4, m], f32>) -> !relax.tensor<[b, 2, n, m], f32>
    %lv_10 = relax.add %lv_9, %x3 : (!relax.tensor<[b, 2, n, m], f32>, !relax.tensor<[b, 1, n, m], f32>) -> !relax.tensor<[b, 2, n, m], f32>
    %lv_11 = relax.softmax %lv_10 {axis = -1 : i64} : (!relax.tensor<[b, 2, n, m], f32>) -> !relax.tensor<[b, 2, n, m], f32>
    %lv_12 = relax.matmul %lv_11, %x2 : (!relax.tensor<[b, 2, n, m], f32>, !relax.tensor<[b, 2, m, 8], f32>) -> !relax.tensor<[b, 2, n, 8], f32>
    relax.output %lv_12 : !relax.tensor<[b, 2, n, 8], f32>
  }
  relax.return %gv : !relax.tensor<[b, 2, n, 8], f32>
}
relax.func @dynamo_causal(%x0: !relax.tensor<[b, 2, n, 4], f32>, %x1: !relax.tensor<[b, 2, m, 4], f32>, %x2: !relax.tensor<[b, 2, m, 8], f32>) -> !relax.tensor<[b, 2, n, 8], f32> {
  %gv = relax.dataflow {
    %c = relax.constant dense<5.000000e-01> : tensor<f32>
    %lv = relax.sqrt %c : (!relax.tensor<[], f32>) -> !relax.tensor<[], f32>
    %lv_1 = relax.multiply %x0, %lv : (!relax.tensor<[b, 2, n, 4], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[b, 2, n, 4], f32>
    %lv_2 = relax.shape [2 * b, m, 4]
    %lv_3 = relax.reshape %x1, %lv_2 : (!relax.tensor<[b, 2, m, 4], f32>, !relax.shape<[2 * b, m, 4]>) -> !relax.tensor<[2 * b, m, 4], f32>
    %lv_4 = relax.permute_dims %lv_3 {axes = array<i64: 0, 2, 1>} : (!relax.tensor<[2 * b, m, 4], f32>) -> !relax.tensor<[2 * b, 4, m], f32>
    %lv_5 = relax.shape [b, 2, 4, m]
    %lv_6 = relax.reshape %lv_4, %lv_5 : (!relax.tensor<[2 * b, 4, m], f32>, !relax.shape<[b, 2, 4, m]>) -> !relax.tensor<[b, 2, 4, m], f32>
    %lv_7 = relax.sqrt %c : (!relax.tensor<[], f32>) -> !relax.tensor<[], f32>
    %lv_8 = relax.multiply %lv_6, %lv_7 : (!relax.tensor<[b, 2, 4, m], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[b, 2, 4, m], f32>
    %lv_9 = relax.matmul %lv_1, %lv_8 : (!relax.tensor<[b, 2, n, 4], f32>, !relax.tensor<[b, 2, 4, m], f32>) -> !relax.tensor<[b, 2, n, m], f32>
    %c_1 = relax.constant dense<1.000000e+00> : tensor<f32>
    %lv_10 = relax.shape [n, m]
    %lv_11 = relax.broadcast_to %c_1, %lv_10 : (!relax.tensor<[], f32>, !relax.shape<[n, m]>) -> !relax.tensor<[n, m], f32>
    %lv_12 = relax.tril %lv_11 {k = 0 : i64} : (!relax.tensor<[n, m], f32>) -> !relax.tensor<[n, m], f32>
    %c_2 = relax.constant dense<0.000000e+00> : tensor<f32>
    %lv_13 = relax.equal %lv_12, %c_2 : (!relax.tensor<[n, m], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[n, m], i1>
    %c_3 = relax.constant dense<"0x000080FF"> : tensor<f32>
    %c_4 = relax.constant dense<0.000000e+00> : tensor<f32>
    %lv_14 = relax.where %lv_13, %c_3, %c_4 : (!relax.tensor<[n, m], i1>, !relax.tensor<[], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[n, m], f32>
    %lv_15 = relax.add %lv_9, %lv_14 : (!relax.tensor<[b, 2, n, m], f32>, !relax.tensor<[n, m], f32>) -> !relax.tensor<[b, 2, n, m], f32>
    %lv_16 = relax.softmax %lv_15 {axis = -1 : i64} : (!relax.tensor<[b, 2, n, m], f32>) -> !relax.tensor<[b, 2, n, m], f32>
    %lv_17 = relax.matmul %lv_16, %x2 : (!relax.tensor<[b, 2, n, m], f32>, !relax.tensor<[b, 2, m, 8], f32>) -> !relax.tensor<[b, 2, n, 8], f32>
    relax.output %lv_17 : !relax.tensor<[b, 2, n, 8], f32>
  }
  relax.return %gv : !relax.tensor<[b, 2, n, 8], f32>
}

// CHECK:       relax.func @dynamo_plain
// CHECK-NOT:     reshape
// CHECK:         relax.attention %{{[a-z0-9_]+}}, %{{[a-z0-9_]+}}, %{{[a-z0-9_]+}} : (!relax.tensor<[b, n, 2, 4], f32>, !relax.tensor<[b, m, 2, 4], f32>, !relax.tensor<[b, m, 2, 8], f32>)
// CHECK:       relax.func @dynamo_boolean
// CHECK-NOT:     isnan
// CHECK:         relax.attention {{.*}} !relax.tensor<[1, 1, n, m], f32>)
// CHECK:       relax.func @dynamo_floating
// CHECK:         relax.attention {{.*}}, %x3 : {{.*}} !relax.tensor<[b, 1, n, m], f32>)
// CHECK:       relax.func @dynamo_causal
// CHECK-NOT:     where
// CHECK:         relax.attention {{.*}} {causal_mask = "TopLeft"}
