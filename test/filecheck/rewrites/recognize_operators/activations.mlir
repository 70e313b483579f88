// RUN: relax-opt %s -p relax-recognize-operators,relax-dce | filecheck %s

// Activations as torch.onnx.export (opset 17) and torch.export's decompositions write them.
relax.func @gelu(%x: !relax.tensor<[n, m, 4], f32>) -> !relax.tensor<[n, m, 4], f32> {
  %gv = relax.dataflow {
    %c = relax.constant dense<1.41421354> : tensor<f32>
    %lv = relax.divide %x, %c : (!relax.tensor<[n, m, 4], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[n, m, 4], f32>
    %lv1 = relax.erf %lv : (!relax.tensor<[n, m, 4], f32>) -> !relax.tensor<[n, m, 4], f32>
    %c_1 = relax.constant dense<1.000000e+00> : tensor<f32>
    %lv2 = relax.add %lv1, %c_1 : (!relax.tensor<[n, m, 4], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[n, m, 4], f32>
    %lv3 = relax.multiply %x, %lv2 : (!relax.tensor<[n, m, 4], f32>, !relax.tensor<[n, m, 4], f32>) -> !relax.tensor<[n, m, 4], f32>
    %c_2 = relax.constant dense<5.000000e-01> : tensor<f32>
    %lv4 = relax.multiply %lv3, %c_2 : (!relax.tensor<[n, m, 4], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[n, m, 4], f32>
    relax.output %lv4 : !relax.tensor<[n, m, 4], f32>
  }
  relax.return %gv : !relax.tensor<[n, m, 4], f32>
}
relax.func @gelu_tanh(%x: !relax.tensor<[n, m, 4], f32>) -> !relax.tensor<[n, m, 4], f32> {
  %gv = relax.dataflow {
    %c = relax.constant dense<5.000000e-01> : tensor<f32>
    %c_1 = relax.constant dense<1.000000e+00> : tensor<f32>
    %c_2 = relax.constant dense<0.797884583> : tensor<f32>
    %c_3 = relax.constant dense<4.471500e-02> : tensor<f32>
    %lv = relax.multiply %x, %x : (!relax.tensor<[n, m, 4], f32>, !relax.tensor<[n, m, 4], f32>) -> !relax.tensor<[n, m, 4], f32>
    %lv1 = relax.multiply %x, %lv : (!relax.tensor<[n, m, 4], f32>, !relax.tensor<[n, m, 4], f32>) -> !relax.tensor<[n, m, 4], f32>
    %lv2 = relax.multiply %c_3, %lv1 : (!relax.tensor<[], f32>, !relax.tensor<[n, m, 4], f32>) -> !relax.tensor<[n, m, 4], f32>
    %lv3 = relax.add %x, %lv2 : (!relax.tensor<[n, m, 4], f32>, !relax.tensor<[n, m, 4], f32>) -> !relax.tensor<[n, m, 4], f32>
    %lv4 = relax.multiply %c_2, %lv3 : (!relax.tensor<[], f32>, !relax.tensor<[n, m, 4], f32>) -> !relax.tensor<[n, m, 4], f32>
    %lv5 = relax.tanh %lv4 : (!relax.tensor<[n, m, 4], f32>) -> !relax.tensor<[n, m, 4], f32>
    %lv6 = relax.add %c_1, %lv5 : (!relax.tensor<[], f32>, !relax.tensor<[n, m, 4], f32>) -> !relax.tensor<[n, m, 4], f32>
    %lv7 = relax.multiply %x, %lv6 : (!relax.tensor<[n, m, 4], f32>, !relax.tensor<[n, m, 4], f32>) -> !relax.tensor<[n, m, 4], f32>
    %lv8 = relax.multiply %c, %lv7 : (!relax.tensor<[], f32>, !relax.tensor<[n, m, 4], f32>) -> !relax.tensor<[n, m, 4], f32>
    relax.output %lv8 : !relax.tensor<[n, m, 4], f32>
  }
  relax.return %gv : !relax.tensor<[n, m, 4], f32>
}
relax.func @silu(%x: !relax.tensor<[n, m, 4], f32>) -> !relax.tensor<[n, m, 4], f32> {
  %gv = relax.dataflow {
    %lv = relax.sigmoid %x : (!relax.tensor<[n, m, 4], f32>) -> !relax.tensor<[n, m, 4], f32>
    %lv1 = relax.multiply %x, %lv : (!relax.tensor<[n, m, 4], f32>, !relax.tensor<[n, m, 4], f32>) -> !relax.tensor<[n, m, 4], f32>
    relax.output %lv1 : !relax.tensor<[n, m, 4], f32>
  }
  relax.return %gv : !relax.tensor<[n, m, 4], f32>
}
relax.func @mish(%x: !relax.tensor<[n, m, 4], f32>) -> !relax.tensor<[n, m, 4], f32> {
  %gv = relax.dataflow {
    %c = relax.constant dense<2.000000e+01> : tensor<f32>
    %lv = relax.greater %x, %c : (!relax.tensor<[n, m, 4], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[n, m, 4], i1>
    %lv1 = relax.exp %x : (!relax.tensor<[n, m, 4], f32>) -> !relax.tensor<[n, m, 4], f32>
    %lv2 = relax.log1p %lv1 : (!relax.tensor<[n, m, 4], f32>) -> !relax.tensor<[n, m, 4], f32>
    %lv3 = relax.where %lv, %x, %lv2 : (!relax.tensor<[n, m, 4], i1>, !relax.tensor<[n, m, 4], f32>, !relax.tensor<[n, m, 4], f32>) -> !relax.tensor<[n, m, 4], f32>
    %lv4 = relax.tanh %lv3 : (!relax.tensor<[n, m, 4], f32>) -> !relax.tensor<[n, m, 4], f32>
    %lv5 = relax.multiply %x, %lv4 : (!relax.tensor<[n, m, 4], f32>, !relax.tensor<[n, m, 4], f32>) -> !relax.tensor<[n, m, 4], f32>
    relax.output %lv5 : !relax.tensor<[n, m, 4], f32>
  }
  relax.return %gv : !relax.tensor<[n, m, 4], f32>
}
relax.func @hard_swish(%x: !relax.tensor<[n, m, 4], f32>) -> !relax.tensor<[n, m, 4], f32> {
  %gv = relax.dataflow {
    %c = relax.constant dense<3.000000e+00> : tensor<f32>
    %lv = relax.add %x, %c : (!relax.tensor<[n, m, 4], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[n, m, 4], f32>
    %lv1 = relax.clip %lv {min = 0.000000e+00 : f64} : (!relax.tensor<[n, m, 4], f32>) -> !relax.tensor<[n, m, 4], f32>
    %lv2 = relax.clip %lv1 {max = 6.000000e+00 : f64} : (!relax.tensor<[n, m, 4], f32>) -> !relax.tensor<[n, m, 4], f32>
    %lv3 = relax.multiply %x, %lv2 : (!relax.tensor<[n, m, 4], f32>, !relax.tensor<[n, m, 4], f32>) -> !relax.tensor<[n, m, 4], f32>
    %c_1 = relax.constant dense<6.000000e+00> : tensor<f32>
    %lv4 = relax.divide %lv3, %c_1 : (!relax.tensor<[n, m, 4], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[n, m, 4], f32>
    relax.output %lv4 : !relax.tensor<[n, m, 4], f32>
  }
  relax.return %gv : !relax.tensor<[n, m, 4], f32>
}

// Another number, another value, a value used outside, a number that adds an axis; quick gelu is no operator.
relax.func @other_number(%x: !relax.tensor<[n, m, 4], f32>) -> !relax.tensor<[n, m, 4], f32> {
  %gv = relax.dataflow {
    %c = relax.constant dense<1.500000e+00> : tensor<f32>
    %lv = relax.divide %x, %c : (!relax.tensor<[n, m, 4], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[n, m, 4], f32>
    %lv1 = relax.erf %lv : (!relax.tensor<[n, m, 4], f32>) -> !relax.tensor<[n, m, 4], f32>
    %c_1 = relax.constant dense<1.000000e+00> : tensor<f32>
    %lv2 = relax.add %lv1, %c_1 : (!relax.tensor<[n, m, 4], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[n, m, 4], f32>
    %lv3 = relax.multiply %x, %lv2 : (!relax.tensor<[n, m, 4], f32>, !relax.tensor<[n, m, 4], f32>) -> !relax.tensor<[n, m, 4], f32>
    %c_2 = relax.constant dense<5.000000e-01> : tensor<f32>
    %lv4 = relax.multiply %lv3, %c_2 : (!relax.tensor<[n, m, 4], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[n, m, 4], f32>
    relax.output %lv4 : !relax.tensor<[n, m, 4], f32>
  }
  relax.return %gv : !relax.tensor<[n, m, 4], f32>
}
relax.func @other_value(%x: !relax.tensor<[n, m, 4], f32>, %y: !relax.tensor<[n, m, 4], f32>) -> !relax.tensor<[n, m, 4], f32> {
  %gv = relax.dataflow {
    %c = relax.constant dense<1.41421354> : tensor<f32>
    %lv = relax.divide %y, %c : (!relax.tensor<[n, m, 4], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[n, m, 4], f32>
    %lv1 = relax.erf %lv : (!relax.tensor<[n, m, 4], f32>) -> !relax.tensor<[n, m, 4], f32>
    %c_1 = relax.constant dense<1.000000e+00> : tensor<f32>
    %lv2 = relax.add %lv1, %c_1 : (!relax.tensor<[n, m, 4], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[n, m, 4], f32>
    %lv3 = relax.multiply %x, %lv2 : (!relax.tensor<[n, m, 4], f32>, !relax.tensor<[n, m, 4], f32>) -> !relax.tensor<[n, m, 4], f32>
    %c_2 = relax.constant dense<5.000000e-01> : tensor<f32>
    %lv4 = relax.multiply %lv3, %c_2 : (!relax.tensor<[n, m, 4], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[n, m, 4], f32>
    relax.output %lv4 : !relax.tensor<[n, m, 4], f32>
  }
  relax.return %gv : !relax.tensor<[n, m, 4], f32>
}
relax.func @used_outside(%x: !relax.tensor<[n, m, 4], f32>) -> !relax.tensor<[n, m, 4], f32> {
  %gv = relax.dataflow {
    %c = relax.constant dense<1.41421354> : tensor<f32>
    %lv = relax.divide %x, %c : (!relax.tensor<[n, m, 4], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[n, m, 4], f32>
    %lv1 = relax.erf %lv : (!relax.tensor<[n, m, 4], f32>) -> !relax.tensor<[n, m, 4], f32>
    %c_1 = relax.constant dense<1.000000e+00> : tensor<f32>
    %lv2 = relax.add %lv1, %c_1 : (!relax.tensor<[n, m, 4], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[n, m, 4], f32>
    %lv3 = relax.multiply %x, %lv2 : (!relax.tensor<[n, m, 4], f32>, !relax.tensor<[n, m, 4], f32>) -> !relax.tensor<[n, m, 4], f32>
    %c_2 = relax.constant dense<5.000000e-01> : tensor<f32>
    %lv4 = relax.multiply %lv3, %c_2 : (!relax.tensor<[n, m, 4], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[n, m, 4], f32>
    %lv5 = relax.add %lv4, %lv1 : (!relax.tensor<[n, m, 4], f32>, !relax.tensor<[n, m, 4], f32>) -> !relax.tensor<[n, m, 4], f32>
    relax.output %lv5 : !relax.tensor<[n, m, 4], f32>
  }
  relax.return %gv : !relax.tensor<[n, m, 4], f32>
}
relax.func @added_axis(%x: !relax.tensor<[n, m, 4], f32>) -> !relax.tensor<[3, n, m, 4], f32> {
  %gv = relax.dataflow {
    %c = relax.constant dense<1.41421354> : tensor<f32>
    %lv = relax.divide %x, %c : (!relax.tensor<[n, m, 4], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[n, m, 4], f32>
    %lv1 = relax.erf %lv : (!relax.tensor<[n, m, 4], f32>) -> !relax.tensor<[n, m, 4], f32>
    %c_1 = relax.constant dense<1.000000e+00> : tensor<f32>
    %lv2 = relax.add %lv1, %c_1 : (!relax.tensor<[n, m, 4], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[n, m, 4], f32>
    %lv3 = relax.multiply %x, %lv2 : (!relax.tensor<[n, m, 4], f32>, !relax.tensor<[n, m, 4], f32>) -> !relax.tensor<[n, m, 4], f32>
    %c_2 = relax.constant dense<5.000000e-01> : tensor<f32>
    %lv4 = relax.shape [3, 1, 1, 1]
    %lv5 = relax.full %lv4, %c_2 : (!relax.shape<[3, 1, 1, 1]>, !relax.tensor<[], f32>) -> !relax.tensor<[3, 1, 1, 1], f32>
    %lv6 = relax.multiply %lv3, %lv5 : (!relax.tensor<[n, m, 4], f32>, !relax.tensor<[3, 1, 1, 1], f32>) -> !relax.tensor<[3, n, m, 4], f32>
    relax.output %lv6 : !relax.tensor<[3, n, m, 4], f32>
  }
  relax.return %gv : !relax.tensor<[3, n, m, 4], f32>
}
relax.func @quick_gelu(%x: !relax.tensor<[n, m, 4], f32>) -> !relax.tensor<[n, m, 4], f32> {
  %gv = relax.dataflow {
    %c = relax.constant dense<1.702000e+00> : tensor<f32>
    %lv = relax.multiply %x, %c : (!relax.tensor<[n, m, 4], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[n, m, 4], f32>
    %lv1 = relax.sigmoid %lv : (!relax.tensor<[n, m, 4], f32>) -> !relax.tensor<[n, m, 4], f32>
    %lv2 = relax.multiply %x, %lv1 : (!relax.tensor<[n, m, 4], f32>, !relax.tensor<[n, m, 4], f32>) -> !relax.tensor<[n, m, 4], f32>
    relax.output %lv2 : !relax.tensor<[n, m, 4], f32>
  }
  relax.return %gv : !relax.tensor<[n, m, 4], f32>
}

// CHECK:       relax.func @gelu(%x: !relax.tensor<[n, m, 4], f32>) -> !relax.tensor<[n, m, 4], f32> {
// CHECK-NEXT:    %gv = relax.dataflow {
// CHECK-NEXT:      %lv4 = relax.gelu %x : (!relax.tensor<[n, m, 4], f32>) -> !relax.tensor<[n, m, 4], f32>
// CHECK-NEXT:      relax.output %lv4 : !relax.tensor<[n, m, 4], f32>
// CHECK-NEXT:    }
// CHECK-NEXT:    relax.return %gv : !relax.tensor<[n, m, 4], f32>
// CHECK-NEXT:  }
// CHECK:       relax.func @gelu_tanh(%x: !relax.tensor<[n, m, 4], f32>) -> !relax.tensor<[n, m, 4], f32> {
// CHECK-NEXT:    %gv = relax.dataflow {
// CHECK-NEXT:      %lv8 = relax.gelu_tanh %x : (!relax.tensor<[n, m, 4], f32>) -> !relax.tensor<[n, m, 4], f32>
// CHECK-NEXT:      relax.output %lv8 : !relax.tensor<[n, m, 4], f32>
// CHECK-NEXT:    }
// CHECK-NEXT:    relax.return %gv : !relax.tensor<[n, m, 4], f32>
// CHECK-NEXT:  }
// CHECK:       relax.func @silu(%x: !relax.tensor<[n, m, 4], f32>) -> !relax.tensor<[n, m, 4], f32> {
// CHECK-NEXT:    %gv = relax.dataflow {
// CHECK-NEXT:      %lv1 = relax.silu %x : (!relax.tensor<[n, m, 4], f32>) -> !relax.tensor<[n, m, 4], f32>
// CHECK-NEXT:      relax.output %lv1 : !relax.tensor<[n, m, 4], f32>
// CHECK-NEXT:    }
// CHECK-NEXT:    relax.return %gv : !relax.tensor<[n, m, 4], f32>
// CHECK-NEXT:  }
// CHECK:       relax.func @mish(%x: !relax.tensor<[n, m, 4], f32>) -> !relax.tensor<[n, m, 4], f32> {
// CHECK-NEXT:    %gv = relax.dataflow {
// CHECK-NEXT:      %lv5 = relax.mish %x : (!relax.tensor<[n, m, 4], f32>) -> !relax.tensor<[n, m, 4], f32>
// CHECK-NEXT:      relax.output %lv5 : !relax.tensor<[n, m, 4], f32>
// CHECK-NEXT:    }
// CHECK-NEXT:    relax.return %gv : !relax.tensor<[n, m, 4], f32>
// CHECK-NEXT:  }
// CHECK:       relax.func @hard_swish(%x: !relax.tensor<[n, m, 4], f32>) -> !relax.tensor<[n, m, 4], f32> {
// CHECK-NEXT:    %gv = relax.dataflow {
// CHECK-NEXT:      %lv4 = relax.hard_swish %x : (!relax.tensor<[n, m, 4], f32>) -> !relax.tensor<[n, m, 4], f32>
// CHECK-NEXT:      relax.output %lv4 : !relax.tensor<[n, m, 4], f32>
// CHECK-NEXT:    }
// CHECK-NEXT:    relax.return %gv : !relax.tensor<[n, m, 4], f32>
// CHECK-NEXT:  }
// CHECK:       relax.func @other_number(%x: !relax.tensor<[n, m, 4], f32>) -> !relax.tensor<[n, m, 4], f32> {
// CHECK-NEXT:    %gv = relax.dataflow {
// CHECK-NEXT:      %c = relax.constant dense<1.500000e+00> : tensor<f32>
// CHECK-NEXT:      %lv = relax.divide %x, %c : (!relax.tensor<[n, m, 4], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[n, m, 4], f32>
// CHECK-NEXT:      %lv1 = relax.erf %lv : (!relax.tensor<[n, m, 4], f32>) -> !relax.tensor<[n, m, 4], f32>
// CHECK-NEXT:      %c_1 = relax.constant dense<1.000000e+00> : tensor<f32>
// CHECK-NEXT:      %lv2 = relax.add %lv1, %c_1 : (!relax.tensor<[n, m, 4], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[n, m, 4], f32>
// CHECK-NEXT:      %lv3 = relax.multiply %x, %lv2 : (!relax.tensor<[n, m, 4], f32>, !relax.tensor<[n, m, 4], f32>) -> !relax.tensor<[n, m, 4], f32>
// CHECK-NEXT:      %c_2 = relax.constant dense<5.000000e-01> : tensor<f32>
// CHECK-NEXT:      %lv4 = relax.multiply %lv3, %c_2 : (!relax.tensor<[n, m, 4], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[n, m, 4], f32>
// CHECK-NEXT:      relax.output %lv4 : !relax.tensor<[n, m, 4], f32>
// CHECK-NEXT:    }
// CHECK-NEXT:    relax.return %gv : !relax.tensor<[n, m, 4], f32>
// CHECK-NEXT:  }
// CHECK:       relax.func @other_value(%x: !relax.tensor<[n, m, 4], f32>, %y: !relax.tensor<[n, m, 4], f32>) -> !relax.tensor<[n, m, 4], f32> {
// CHECK-NEXT:    %gv = relax.dataflow {
// CHECK-NEXT:      %c = relax.constant dense<1.41421354> : tensor<f32>
// CHECK-NEXT:      %lv = relax.divide %y, %c : (!relax.tensor<[n, m, 4], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[n, m, 4], f32>
// CHECK-NEXT:      %lv1 = relax.erf %lv : (!relax.tensor<[n, m, 4], f32>) -> !relax.tensor<[n, m, 4], f32>
// CHECK-NEXT:      %c_1 = relax.constant dense<1.000000e+00> : tensor<f32>
// CHECK-NEXT:      %lv2 = relax.add %lv1, %c_1 : (!relax.tensor<[n, m, 4], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[n, m, 4], f32>
// CHECK-NEXT:      %lv3 = relax.multiply %x, %lv2 : (!relax.tensor<[n, m, 4], f32>, !relax.tensor<[n, m, 4], f32>) -> !relax.tensor<[n, m, 4], f32>
// CHECK-NEXT:      %c_2 = relax.constant dense<5.000000e-01> : tensor<f32>
// CHECK-NEXT:      %lv4 = relax.multiply %lv3, %c_2 : (!relax.tensor<[n, m, 4], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[n, m, 4], f32>
// CHECK-NEXT:      relax.output %lv4 : !relax.tensor<[n, m, 4], f32>
// CHECK-NEXT:    }
// CHECK-NEXT:    relax.return %gv : !relax.tensor<[n, m, 4], f32>
// CHECK-NEXT:  }
// CHECK:       relax.func @used_outside(%x: !relax.tensor<[n, m, 4], f32>) -> !relax.tensor<[n, m, 4], f32> {
// CHECK-NEXT:    %gv = relax.dataflow {
// CHECK-NEXT:      %c = relax.constant dense<1.41421354> : tensor<f32>
// CHECK-NEXT:      %lv = relax.divide %x, %c : (!relax.tensor<[n, m, 4], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[n, m, 4], f32>
// CHECK-NEXT:      %lv1 = relax.erf %lv : (!relax.tensor<[n, m, 4], f32>) -> !relax.tensor<[n, m, 4], f32>
// CHECK-NEXT:      %c_1 = relax.constant dense<1.000000e+00> : tensor<f32>
// CHECK-NEXT:      %lv2 = relax.add %lv1, %c_1 : (!relax.tensor<[n, m, 4], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[n, m, 4], f32>
// CHECK-NEXT:      %lv3 = relax.multiply %x, %lv2 : (!relax.tensor<[n, m, 4], f32>, !relax.tensor<[n, m, 4], f32>) -> !relax.tensor<[n, m, 4], f32>
// CHECK-NEXT:      %c_2 = relax.constant dense<5.000000e-01> : tensor<f32>
// CHECK-NEXT:      %lv4 = relax.multiply %lv3, %c_2 : (!relax.tensor<[n, m, 4], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[n, m, 4], f32>
// CHECK-NEXT:      %lv5 = relax.add %lv4, %lv1 : (!relax.tensor<[n, m, 4], f32>, !relax.tensor<[n, m, 4], f32>) -> !relax.tensor<[n, m, 4], f32>
// CHECK-NEXT:      relax.output %lv5 : !relax.tensor<[n, m, 4], f32>
// CHECK-NEXT:    }
// CHECK-NEXT:    relax.return %gv : !relax.tensor<[n, m, 4], f32>
// CHECK-NEXT:  }
// CHECK:       relax.func @added_axis(%x: !relax.tensor<[n, m, 4], f32>) -> !relax.tensor<[3, n, m, 4], f32> {
// CHECK-NEXT:    %gv = relax.dataflow {
// CHECK-NEXT:      %c = relax.constant dense<1.41421354> : tensor<f32>
// CHECK-NEXT:      %lv = relax.divide %x, %c : (!relax.tensor<[n, m, 4], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[n, m, 4], f32>
// CHECK-NEXT:      %lv1 = relax.erf %lv : (!relax.tensor<[n, m, 4], f32>) -> !relax.tensor<[n, m, 4], f32>
// CHECK-NEXT:      %c_1 = relax.constant dense<1.000000e+00> : tensor<f32>
// CHECK-NEXT:      %lv2 = relax.add %lv1, %c_1 : (!relax.tensor<[n, m, 4], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[n, m, 4], f32>
// CHECK-NEXT:      %lv3 = relax.multiply %x, %lv2 : (!relax.tensor<[n, m, 4], f32>, !relax.tensor<[n, m, 4], f32>) -> !relax.tensor<[n, m, 4], f32>
// CHECK-NEXT:      %c_2 = relax.constant dense<5.000000e-01> : tensor<f32>
// CHECK-NEXT:      %lv4 = relax.shape [3, 1, 1, 1]
// CHECK-NEXT:      %lv5 = relax.full %lv4, %c_2 : (!relax.shape<[3, 1, 1, 1]>, !relax.tensor<[], f32>) -> !relax.tensor<[3, 1, 1, 1], f32>
// CHECK-NEXT:      %lv6 = relax.multiply %lv3, %lv5 : (!relax.tensor<[n, m, 4], f32>, !relax.tensor<[3, 1, 1, 1], f32>) -> !relax.tensor<[3, n, m, 4], f32>
// CHECK-NEXT:      relax.output %lv6 : !relax.tensor<[3, n, m, 4], f32>
// CHECK-NEXT:    }
// CHECK-NEXT:    relax.return %gv : !relax.tensor<[3, n, m, 4], f32>
// CHECK-NEXT:  }
// CHECK:       relax.func @quick_gelu(%x: !relax.tensor<[n, m, 4], f32>) -> !relax.tensor<[n, m, 4], f32> {
// CHECK-NEXT:    %gv = relax.dataflow {
// CHECK-NEXT:      %lv2 = relax.quick_gelu %x : (!relax.tensor<[n, m, 4], f32>) -> !relax.tensor<[n, m, 4], f32>
// CHECK-NEXT:      relax.output %lv2 : !relax.tensor<[n, m, 4], f32>
// CHECK-NEXT:    }
// CHECK-NEXT:    relax.return %gv : !relax.tensor<[n, m, 4], f32>
// CHECK-NEXT:  }
