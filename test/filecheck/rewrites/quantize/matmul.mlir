// RUN: python -c "import numpy as np; np.savez('%t.npz', x=np.float32([[-1, 0.5, 1.55], [0, 1, 1]]))"
// RUN: relax-opt %s -p 'relax-quantize{calibration="%t.npz"}' | filecheck %s
// RUN: relax-opt %s -p 'relax-quantize{calibration="%t.npz" activations=i8}' | filecheck %s --check-prefix=SIGNED
// RUN: relax-opt %s -p 'relax-quantize{calibration="%t.npz"},relax-cse,relax-to-loops' | filecheck %s --check-prefix=LOOPS

// The range of x is [-1, 1.55]: steps of 0.01, and 0 at 100. The columns of the weight have steps of 0.01 and 0.02.
relax.func @main(%x: !relax.tensor<[n, 3], f32>) -> !relax.tensor<[n, 2], f32> {
  %y = relax.dataflow {
    %w = relax.constant dense<[[1.27, 0.0], [-0.5, 2.54], [0.0, -1.0]]> : tensor<3x2xf32>
    %b = relax.constant dense<[0.01, -0.02]> : tensor<2xf32>
    %a = relax.matmul %x, %w : (!relax.tensor<[n, 3], f32>, !relax.tensor<[3, 2], f32>) -> !relax.tensor<[n, 2], f32>
    %c = relax.add %b, %a : (!relax.tensor<[2], f32>, !relax.tensor<[n, 2], f32>) -> !relax.tensor<[n, 2], f32>
    %r = relax.relu %c : (!relax.tensor<[n, 2], f32>) -> !relax.tensor<[n, 2], f32>
    relax.output %r : !relax.tensor<[n, 2], f32>
  }
  relax.return %y : !relax.tensor<[n, 2], f32>
}

// CHECK:       %y = relax.dataflow {
// CHECK-NEXT:    [[SX:%.+]] = relax.constant dense<1.000000e-02> : tensor<f32>
// CHECK-NEXT:    [[ZX:%.+]] = relax.constant dense<100> : tensor<ui8>
// CHECK-NEXT:    [[Q:%.+]] = relax.quantize %x, [[SX]], [[ZX]] {out_dtype = ui8} : ({{.*}}) -> !relax.tensor<[n, 3], ui8>
// CHECK-NEXT:    [[W:%.+]] = relax.constant dense<{{\[}}[127, 0], [-50, 127], [0, -50]]> : tensor<3x2xi8>
// CHECK-NEXT:    [[ZERO:%.+]] = relax.constant dense<0> : tensor<i8>
// CHECK-NEXT:    [[A:%.+]] = relax.matmul_integer [[Q]], [[W]], [[ZX]], [[ZERO]] : ({{.*}}) -> !relax.tensor<[n, 2], i32>
// CHECK-NEXT:    [[B:%.+]] = relax.constant dense<[100, -100]> : tensor<2xi32>
// CHECK-NEXT:    [[C:%.+]] = relax.add [[A]], [[B]] : ({{.*}}) -> !relax.tensor<[n, 2], i32>
// CHECK-NEXT:    [[ZERO32:%.+]] = relax.constant dense<0> : tensor<i32>
// CHECK-NEXT:    [[R:%.+]] = relax.maximum [[C]], [[ZERO32]] : ({{.*}}) -> !relax.tensor<[n, 2], i32>
// CHECK-NEXT:    [[S:%.+]] = relax.constant dense<[{{.*}}, {{.*}}]> : tensor<2xf32>
// CHECK-NEXT:    [[Z:%.+]] = relax.constant dense<0> : tensor<i32>
// CHECK-NEXT:    [[Y:%.+]] = relax.dequantize [[R]], [[S]], [[Z]] : ({{.*}}) -> !relax.tensor<[n, 2], f32>
// CHECK-NEXT:    relax.output [[Y]] : !relax.tensor<[n, 2], f32>
// CHECK-NEXT:  }

// SIGNED:      [[ZX:%.+]] = relax.constant dense<0> : tensor<i8>
// SIGNED-NEXT: relax.quantize %x, {{.*}}, [[ZX]] : ({{.*}}) -> !relax.tensor<[n, 3], i8>

// LOOPS:       func.func @main
