// RUN: relax-opt %s -p relax-recognize-operators,relax-dce | filecheck %s

// torch.onnx.export (opset 14) of LayerNorm and of Llama's norm in f16; torch.export's decomposition of RMSNorm.
relax.func @layer_norm(%x: !relax.tensor<[n, m, 4], f32>, %g: !relax.tensor<[4], f32>, %b: !relax.tensor<[4], f32>) -> !relax.tensor<[n, m, 4], f32> {
  %gv = relax.dataflow {
    %lv = relax.mean %x {axis = array<i64: -1>, keepdims = true} : (!relax.tensor<[n, m, 4], f32>) -> !relax.tensor<[n, m, 1], f32>
    %lv1 = relax.subtract %x, %lv : (!relax.tensor<[n, m, 4], f32>, !relax.tensor<[n, m, 1], f32>) -> !relax.tensor<[n, m, 4], f32>
    %c = relax.constant dense<2.000000e+00> : tensor<f32>
    %lv2 = relax.power %lv1, %c : (!relax.tensor<[n, m, 4], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[n, m, 4], f32>
    %lv3 = relax.mean %lv2 {axis = array<i64: -1>, keepdims = true} : (!relax.tensor<[n, m, 4], f32>) -> !relax.tensor<[n, m, 1], f32>
    %c_1 = relax.constant dense<1.000000e-05> : tensor<f32>
    %lv4 = relax.add %lv3, %c_1 : (!relax.tensor<[n, m, 1], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[n, m, 1], f32>
    %lv5 = relax.sqrt %lv4 : (!relax.tensor<[n, m, 1], f32>) -> !relax.tensor<[n, m, 1], f32>
    %lv6 = relax.divide %lv1, %lv5 : (!relax.tensor<[n, m, 4], f32>, !relax.tensor<[n, m, 1], f32>) -> !relax.tensor<[n, m, 4], f32>
    %lv7 = relax.multiply %lv6, %g : (!relax.tensor<[n, m, 4], f32>, !relax.tensor<[4], f32>) -> !relax.tensor<[n, m, 4], f32>
    %lv8 = relax.add %lv7, %b : (!relax.tensor<[n, m, 4], f32>, !relax.tensor<[4], f32>) -> !relax.tensor<[n, m, 4], f32>
    relax.output %lv8 : !relax.tensor<[n, m, 4], f32>
  }
  relax.return %gv : !relax.tensor<[n, m, 4], f32>
}
relax.func @two_axes(%x: !relax.tensor<[n, 3, 4], f32>) -> !relax.tensor<[n, 3, 4], f32> {
  %gv = relax.dataflow {
    %lv = relax.mean %x {axis = array<i64: -2, -1>, keepdims = true} : (!relax.tensor<[n, 3, 4], f32>) -> !relax.tensor<[n, 1, 1], f32>
    %lv1 = relax.subtract %x, %lv : (!relax.tensor<[n, 3, 4], f32>, !relax.tensor<[n, 1, 1], f32>) -> !relax.tensor<[n, 3, 4], f32>
    %lv2 = relax.variance %x {axis = array<i64: 1, 2>, keepdims = true} : (!relax.tensor<[n, 3, 4], f32>) -> !relax.tensor<[n, 1, 1], f32>
    %c = relax.constant dense<1.000000e-06> : tensor<f32>
    %lv3 = relax.add %lv2, %c : (!relax.tensor<[n, 1, 1], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[n, 1, 1], f32>
    %lv4 = relax.rsqrt %lv3 : (!relax.tensor<[n, 1, 1], f32>) -> !relax.tensor<[n, 1, 1], f32>
    %lv5 = relax.multiply %lv1, %lv4 : (!relax.tensor<[n, 3, 4], f32>, !relax.tensor<[n, 1, 1], f32>) -> !relax.tensor<[n, 3, 4], f32>
    relax.output %lv5 : !relax.tensor<[n, 3, 4], f32>
  }
  relax.return %gv : !relax.tensor<[n, 3, 4], f32>
}
relax.func @rms_norm_f16(%x: !relax.tensor<[n, m, 4], f16>, %w: !relax.tensor<[4], f16>) -> !relax.tensor<[n, m, 4], f16> {
  %gv = relax.dataflow {
    %lv = relax.astype %x {dtype = f32} : (!relax.tensor<[n, m, 4], f16>) -> !relax.tensor<[n, m, 4], f32>
    %c = relax.constant dense<1.000000e+00> : tensor<f32>
    %c_1 = relax.constant dense<2.000000e+00> : tensor<f32>
    %lv1 = relax.power %lv, %c_1 : (!relax.tensor<[n, m, 4], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[n, m, 4], f32>
    %lv2 = relax.mean %lv1 {axis = array<i64: -1>, keepdims = true} : (!relax.tensor<[n, m, 4], f32>) -> !relax.tensor<[n, m, 1], f32>
    %c_2 = relax.constant dense<1.000000e-06> : tensor<f32>
    %lv3 = relax.add %lv2, %c_2 : (!relax.tensor<[n, m, 1], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[n, m, 1], f32>
    %lv4 = relax.sqrt %lv3 : (!relax.tensor<[n, m, 1], f32>) -> !relax.tensor<[n, m, 1], f32>
    %lv5 = relax.divide %c, %lv4 : (!relax.tensor<[], f32>, !relax.tensor<[n, m, 1], f32>) -> !relax.tensor<[n, m, 1], f32>
    %lv6 = relax.multiply %lv, %lv5 : (!relax.tensor<[n, m, 4], f32>, !relax.tensor<[n, m, 1], f32>) -> !relax.tensor<[n, m, 4], f32>
    %lv7 = relax.astype %lv6 {dtype = f16} : (!relax.tensor<[n, m, 4], f32>) -> !relax.tensor<[n, m, 4], f16>
    %lv8 = relax.multiply %w, %lv7 : (!relax.tensor<[4], f16>, !relax.tensor<[n, m, 4], f16>) -> !relax.tensor<[n, m, 4], f16>
    relax.output %lv8 : !relax.tensor<[n, m, 4], f16>
  }
  relax.return %gv : !relax.tensor<[n, m, 4], f16>
}
relax.func @rms_norm(%x: !relax.tensor<[n, m, 4], f32>, %w: !relax.tensor<[4], f32>) -> !relax.tensor<[n, m, 4], f32> {
  %gv = relax.dataflow {
    %c = relax.constant dense<2.000000e+00> : tensor<f32>
    %lv = relax.power %x, %c : (!relax.tensor<[n, m, 4], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[n, m, 4], f32>
    %lv1 = relax.mean %lv {axis = array<i64: 2>, keepdims = true} : (!relax.tensor<[n, m, 4], f32>) -> !relax.tensor<[n, m, 1], f32>
    %c_1 = relax.constant dense<1.1920929e-07> : tensor<f32>
    %lv2 = relax.add %lv1, %c_1 : (!relax.tensor<[n, m, 1], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[n, m, 1], f32>
    %lv3 = relax.rsqrt %lv2 : (!relax.tensor<[n, m, 1], f32>) -> !relax.tensor<[n, m, 1], f32>
    %lv4 = relax.multiply %x, %lv3 : (!relax.tensor<[n, m, 4], f32>, !relax.tensor<[n, m, 1], f32>) -> !relax.tensor<[n, m, 4], f32>
    %lv5 = relax.multiply %lv4, %w : (!relax.tensor<[n, m, 4], f32>, !relax.tensor<[4], f32>) -> !relax.tensor<[n, m, 4], f32>
    relax.output %lv5 : !relax.tensor<[n, m, 4], f32>
  }
  relax.return %gv : !relax.tensor<[n, m, 4], f32>
}
relax.func @residual(%x: !relax.tensor<[n, m, 4], f32>, %g: !relax.tensor<[4], f32>, %y: !relax.tensor<[n, m, 4], f32>) -> !relax.tensor<[n, m, 4], f32> {
  %gv = relax.dataflow {
    %lv = relax.mean %x {axis = array<i64: -1>, keepdims = true} : (!relax.tensor<[n, m, 4], f32>) -> !relax.tensor<[n, m, 1], f32>
    %lv1 = relax.subtract %x, %lv : (!relax.tensor<[n, m, 4], f32>, !relax.tensor<[n, m, 1], f32>) -> !relax.tensor<[n, m, 4], f32>
    %c = relax.constant dense<2.000000e+00> : tensor<f32>
    %lv2 = relax.power %lv1, %c : (!relax.tensor<[n, m, 4], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[n, m, 4], f32>
    %lv3 = relax.mean %lv2 {axis = array<i64: -1>, keepdims = true} : (!relax.tensor<[n, m, 4], f32>) -> !relax.tensor<[n, m, 1], f32>
    %c_1 = relax.constant dense<1.000000e-05> : tensor<f32>
    %lv4 = relax.add %lv3, %c_1 : (!relax.tensor<[n, m, 1], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[n, m, 1], f32>
    %lv5 = relax.sqrt %lv4 : (!relax.tensor<[n, m, 1], f32>) -> !relax.tensor<[n, m, 1], f32>
    %lv6 = relax.divide %lv1, %lv5 : (!relax.tensor<[n, m, 4], f32>, !relax.tensor<[n, m, 1], f32>) -> !relax.tensor<[n, m, 4], f32>
    %lv7 = relax.multiply %lv6, %g : (!relax.tensor<[n, m, 4], f32>, !relax.tensor<[4], f32>) -> !relax.tensor<[n, m, 4], f32>
    %lv8 = relax.add %lv7, %y : (!relax.tensor<[n, m, 4], f32>, !relax.tensor<[n, m, 4], f32>) -> !relax.tensor<[n, m, 4], f32>
    relax.output %lv8 : !relax.tensor<[n, m, 4], f32>
  }
  relax.return %gv : !relax.tensor<[n, m, 4], f32>
}

// What is added is no parameter; means over different axes; eps next to the deviation; a mean used outside.
relax.func @other_axis(%x: !relax.tensor<[n, m, 4], f32>) -> !relax.tensor<[n, m, 4], f32> {
  %gv = relax.dataflow {
    %lv = relax.mean %x {axis = array<i64: 1>, keepdims = true} : (!relax.tensor<[n, m, 4], f32>) -> !relax.tensor<[n, 1, 4], f32>
    %lv1 = relax.subtract %x, %lv : (!relax.tensor<[n, m, 4], f32>, !relax.tensor<[n, 1, 4], f32>) -> !relax.tensor<[n, m, 4], f32>
    %lv2 = relax.multiply %lv1, %lv1 : (!relax.tensor<[n, m, 4], f32>, !relax.tensor<[n, m, 4], f32>) -> !relax.tensor<[n, m, 4], f32>
    %lv3 = relax.mean %lv2 {axis = array<i64: 2>, keepdims = true} : (!relax.tensor<[n, m, 4], f32>) -> !relax.tensor<[n, m, 1], f32>
    %c = relax.constant dense<1.000000e-05> : tensor<f32>
    %lv4 = relax.add %lv3, %c : (!relax.tensor<[n, m, 1], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[n, m, 1], f32>
    %lv5 = relax.sqrt %lv4 : (!relax.tensor<[n, m, 1], f32>) -> !relax.tensor<[n, m, 1], f32>
    %lv6 = relax.divide %lv1, %lv5 : (!relax.tensor<[n, m, 4], f32>, !relax.tensor<[n, m, 1], f32>) -> !relax.tensor<[n, m, 4], f32>
    relax.output %lv6 : !relax.tensor<[n, m, 4], f32>
  }
  relax.return %gv : !relax.tensor<[n, m, 4], f32>
}
relax.func @deviation(%x: !relax.tensor<[n, m, 4], f32>) -> !relax.tensor<[n, m, 4], f32> {
  %gv = relax.dataflow {
    %lv = relax.mean %x {axis = array<i64: 2>, keepdims = true} : (!relax.tensor<[n, m, 4], f32>) -> !relax.tensor<[n, m, 1], f32>
    %lv1 = relax.subtract %x, %lv : (!relax.tensor<[n, m, 4], f32>, !relax.tensor<[n, m, 1], f32>) -> !relax.tensor<[n, m, 4], f32>
    %lv2 = relax.std %x {axis = array<i64: 2>, keepdims = true} : (!relax.tensor<[n, m, 4], f32>) -> !relax.tensor<[n, m, 1], f32>
    %c = relax.constant dense<1.000000e-05> : tensor<f32>
    %lv3 = relax.add %lv2, %c : (!relax.tensor<[n, m, 1], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[n, m, 1], f32>
    %lv4 = relax.divide %lv1, %lv3 : (!relax.tensor<[n, m, 4], f32>, !relax.tensor<[n, m, 1], f32>) -> !relax.tensor<[n, m, 4], f32>
    relax.output %lv4 : !relax.tensor<[n, m, 4], f32>
  }
  relax.return %gv : !relax.tensor<[n, m, 4], f32>
}
relax.func @used_mean(%x: !relax.tensor<[n, m, 4], f32>) -> !relax.tensor<[n, m, 4], f32> {
  %gv = relax.dataflow {
    %lv = relax.multiply %x, %x : (!relax.tensor<[n, m, 4], f32>, !relax.tensor<[n, m, 4], f32>) -> !relax.tensor<[n, m, 4], f32>
    %lv1 = relax.mean %lv {axis = array<i64: 2>, keepdims = true} : (!relax.tensor<[n, m, 4], f32>) -> !relax.tensor<[n, m, 1], f32>
    %c = relax.constant dense<1.000000e-05> : tensor<f32>
    %lv2 = relax.add %lv1, %c : (!relax.tensor<[n, m, 1], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[n, m, 1], f32>
    %lv3 = relax.sqrt %lv2 : (!relax.tensor<[n, m, 1], f32>) -> !relax.tensor<[n, m, 1], f32>
    %lv4 = relax.divide %x, %lv3 : (!relax.tensor<[n, m, 4], f32>, !relax.tensor<[n, m, 1], f32>) -> !relax.tensor<[n, m, 4], f32>
    %lv5 = relax.add %lv4, %lv1 : (!relax.tensor<[n, m, 4], f32>, !relax.tensor<[n, m, 1], f32>) -> !relax.tensor<[n, m, 4], f32>
    relax.output %lv5 : !relax.tensor<[n, m, 4], f32>
  }
  relax.return %gv : !relax.tensor<[n, m, 4], f32>
}

// CHECK:       relax.func @layer_norm(%x: !relax.tensor<[n, m, 4], f32>, %g: !relax.tensor<[4], f32>, %b: !relax.tensor<[4], f32>) -> !relax.tensor<[n, m, 4], f32> {
// CHECK-NEXT:    %gv = relax.dataflow {
// CHECK-NEXT:      %lv8 = relax.layer_norm %x, %g, %b {axes = array<i64: -1>} : (!relax.tensor<[n, m, 4], f32>, !relax.tensor<[4], f32>, !relax.tensor<[4], f32>) -> !relax.tensor<[n, m, 4], f32>
// CHECK-NEXT:      relax.output %lv8 : !relax.tensor<[n, m, 4], f32>
// CHECK-NEXT:    }
// CHECK-NEXT:    relax.return %gv : !relax.tensor<[n, m, 4], f32>
// CHECK-NEXT:  }
// CHECK:       relax.func @two_axes(%x: !relax.tensor<[n, 3, 4], f32>) -> !relax.tensor<[n, 3, 4], f32> {
// CHECK-NEXT:    %gv = relax.dataflow {
// CHECK-NEXT:      %lv5 = relax.shape [3, 4]
// CHECK-NEXT:      %lv5_1 = relax.ones %lv5 {dtype = f32} : (!relax.shape<[3, 4]>) -> !relax.tensor<[3, 4], f32>
// CHECK-NEXT:      %lv5_2 = relax.shape [3, 4]
// CHECK-NEXT:      %lv5_3 = relax.zeros %lv5_2 {dtype = f32} : (!relax.shape<[3, 4]>) -> !relax.tensor<[3, 4], f32>
// CHECK-NEXT:      %lv5_4 = relax.layer_norm %x, %lv5_1, %lv5_3 {axes = array<i64: -2, -1>, epsilon = 1.000000e-06 : f64, center = false, scale = false} : (!relax.tensor<[n, 3, 4], f32>, !relax.tensor<[3, 4], f32>, !relax.tensor<[3, 4], f32>) -> !relax.tensor<[n, 3, 4], f32>
// CHECK-NEXT:      relax.output %lv5_4 : !relax.tensor<[n, 3, 4], f32>
// CHECK-NEXT:    }
// CHECK-NEXT:    relax.return %gv : !relax.tensor<[n, 3, 4], f32>
// CHECK-NEXT:  }
// CHECK:       relax.func @rms_norm_f16(%x: !relax.tensor<[n, m, 4], f16>, %w: !relax.tensor<[4], f16>) -> !relax.tensor<[n, m, 4], f16> {
// CHECK-NEXT:    %gv = relax.dataflow {
// CHECK-NEXT:      %lv8 = relax.rms_norm %x, %w {axes = array<i64: -1>, epsilon = 1.000000e-06 : f64} : (!relax.tensor<[n, m, 4], f16>, !relax.tensor<[4], f16>) -> !relax.tensor<[n, m, 4], f16>
// CHECK-NEXT:      relax.output %lv8 : !relax.tensor<[n, m, 4], f16>
// CHECK-NEXT:    }
// CHECK-NEXT:    relax.return %gv : !relax.tensor<[n, m, 4], f16>
// CHECK-NEXT:  }
// CHECK:       relax.func @rms_norm(%x: !relax.tensor<[n, m, 4], f32>, %w: !relax.tensor<[4], f32>) -> !relax.tensor<[n, m, 4], f32> {
// CHECK-NEXT:    %gv = relax.dataflow {
// CHECK-NEXT:      %lv5 = relax.rms_norm %x, %w {axes = array<i64: -1>, epsilon = 1.1920929000000001e-07 : f64} : (!relax.tensor<[n, m, 4], f32>, !relax.tensor<[4], f32>) -> !relax.tensor<[n, m, 4], f32>
// CHECK-NEXT:      relax.output %lv5 : !relax.tensor<[n, m, 4], f32>
// CHECK-NEXT:    }
// CHECK-NEXT:    relax.return %gv : !relax.tensor<[n, m, 4], f32>
// CHECK-NEXT:  }
// CHECK:       relax.func @residual(%x: !relax.tensor<[n, m, 4], f32>, %g: !relax.tensor<[4], f32>, %y: !relax.tensor<[n, m, 4], f32>) -> !relax.tensor<[n, m, 4], f32> {
// CHECK-NEXT:    %gv = relax.dataflow {
// CHECK-NEXT:      %lv7 = relax.shape [4]
// CHECK-NEXT:      %lv7_1 = relax.zeros %lv7 {dtype = f32} : (!relax.shape<[4]>) -> !relax.tensor<[4], f32>
// CHECK-NEXT:      %lv7_2 = relax.layer_norm %x, %g, %lv7_1 {axes = array<i64: -1>, center = false} : (!relax.tensor<[n, m, 4], f32>, !relax.tensor<[4], f32>, !relax.tensor<[4], f32>) -> !relax.tensor<[n, m, 4], f32>
// CHECK-NEXT:      %lv8 = relax.add %lv7_2, %y : (!relax.tensor<[n, m, 4], f32>, !relax.tensor<[n, m, 4], f32>) -> !relax.tensor<[n, m, 4], f32>
// CHECK-NEXT:      relax.output %lv8 : !relax.tensor<[n, m, 4], f32>
// CHECK-NEXT:    }
// CHECK-NEXT:    relax.return %gv : !relax.tensor<[n, m, 4], f32>
// CHECK-NEXT:  }
// CHECK:       relax.func @other_axis(%x: !relax.tensor<[n, m, 4], f32>) -> !relax.tensor<[n, m, 4], f32> {
// CHECK-NEXT:    %gv = relax.dataflow {
// CHECK-NEXT:      %lv = relax.mean %x {axis = array<i64: 1>, keepdims = true} : (!relax.tensor<[n, m, 4], f32>) -> !relax.tensor<[n, 1, 4], f32>
// CHECK-NEXT:      %lv1 = relax.subtract %x, %lv : (!relax.tensor<[n, m, 4], f32>, !relax.tensor<[n, 1, 4], f32>) -> !relax.tensor<[n, m, 4], f32>
// CHECK-NEXT:      %lv6 = relax.shape [4]
// CHECK-NEXT:      %lv6_1 = relax.ones %lv6 {dtype = f32} : (!relax.shape<[4]>) -> !relax.tensor<[4], f32>
// CHECK-NEXT:      %lv6_2 = relax.rms_norm %lv1, %lv6_1 {axes = array<i64: -1>} : (!relax.tensor<[n, m, 4], f32>, !relax.tensor<[4], f32>) -> !relax.tensor<[n, m, 4], f32>
// CHECK-NEXT:      relax.output %lv6_2 : !relax.tensor<[n, m, 4], f32>
// CHECK-NEXT:    }
// CHECK-NEXT:    relax.return %gv : !relax.tensor<[n, m, 4], f32>
// CHECK-NEXT:  }
// CHECK:       relax.func @deviation(%x: !relax.tensor<[n, m, 4], f32>) -> !relax.tensor<[n, m, 4], f32> {
// CHECK-NEXT:    %gv = relax.dataflow {
// CHECK-NEXT:      %lv = relax.mean %x {axis = array<i64: 2>, keepdims = true} : (!relax.tensor<[n, m, 4], f32>) -> !relax.tensor<[n, m, 1], f32>
// CHECK-NEXT:      %lv1 = relax.subtract %x, %lv : (!relax.tensor<[n, m, 4], f32>, !relax.tensor<[n, m, 1], f32>) -> !relax.tensor<[n, m, 4], f32>
// CHECK-NEXT:      %lv2 = relax.std %x {axis = array<i64: 2>, keepdims = true} : (!relax.tensor<[n, m, 4], f32>) -> !relax.tensor<[n, m, 1], f32>
// CHECK-NEXT:      %c = relax.constant dense<1.000000e-05> : tensor<f32>
// CHECK-NEXT:      %lv3 = relax.add %lv2, %c : (!relax.tensor<[n, m, 1], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[n, m, 1], f32>
// CHECK-NEXT:      %lv4 = relax.divide %lv1, %lv3 : (!relax.tensor<[n, m, 4], f32>, !relax.tensor<[n, m, 1], f32>) -> !relax.tensor<[n, m, 4], f32>
// CHECK-NEXT:      relax.output %lv4 : !relax.tensor<[n, m, 4], f32>
// CHECK-NEXT:    }
// CHECK-NEXT:    relax.return %gv : !relax.tensor<[n, m, 4], f32>
// CHECK-NEXT:  }
// CHECK:       relax.func @used_mean(%x: !relax.tensor<[n, m, 4], f32>) -> !relax.tensor<[n, m, 4], f32> {
// CHECK-NEXT:    %gv = relax.dataflow {
// CHECK-NEXT:      %lv = relax.multiply %x, %x : (!relax.tensor<[n, m, 4], f32>, !relax.tensor<[n, m, 4], f32>) -> !relax.tensor<[n, m, 4], f32>
// CHECK-NEXT:      %lv1 = relax.mean %lv {axis = array<i64: 2>, keepdims = true} : (!relax.tensor<[n, m, 4], f32>) -> !relax.tensor<[n, m, 1], f32>
// CHECK-NEXT:      %c = relax.constant dense<1.000000e-05> : tensor<f32>
// CHECK-NEXT:      %lv2 = relax.add %lv1, %c : (!relax.tensor<[n, m, 1], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[n, m, 1], f32>
// CHECK-NEXT:      %lv3 = relax.sqrt %lv2 : (!relax.tensor<[n, m, 1], f32>) -> !relax.tensor<[n, m, 1], f32>
// CHECK-NEXT:      %lv4 = relax.divide %x, %lv3 : (!relax.tensor<[n, m, 4], f32>, !relax.tensor<[n, m, 1], f32>) -> !relax.tensor<[n, m, 4], f32>
// CHECK-NEXT:      %lv5 = relax.add %lv4, %lv1 : (!relax.tensor<[n, m, 4], f32>, !relax.tensor<[n, m, 1], f32>) -> !relax.tensor<[n, m, 4], f32>
// CHECK-NEXT:      relax.output %lv5 : !relax.tensor<[n, m, 4], f32>
// CHECK-NEXT:    }
// CHECK-NEXT:    relax.return %gv : !relax.tensor<[n, m, 4], f32>
// CHECK-NEXT:  }
