// RUN: python -c "import numpy as np; np.savez('%t.npz', x=np.float32([[1, 2]]), w=np.float32([[1], [2]]), d=np.float64([[1, 2]]))"
// RUN: relax-opt %s -p 'relax-quantize{calibration="%t.npz"}' 2>/dev/null | filecheck %s
// RUN: relax-opt %s -p 'relax-quantize{calibration="%t.npz"}' 2>&1 | filecheck %s --check-prefix=NOTE

// NOTE: relax-quantize: note: 0 regions quantised;
// NOTE-SAME: @main: relax.matmul (%a): its weight is no constant;
// NOTE-SAME: @main: relax.matmul (%b): its element type is not f32;
// NOTE-SAME: @main: relax.matmul (%c): its rank is unknown;
// NOTE-SAME: @other: relax.matmul (%y): no calibration input reaches it

// CHECK:     relax.func @main
// CHECK-NOT: quantize
// CHECK:       %a = relax.matmul %x, %w
// CHECK-NOT: quantize
// CHECK:       %b = relax.matmul %d, %v
// CHECK-NOT: quantize
// CHECK:       %c = relax.matmul %u, %k
// CHECK-NOT: quantize
// CHECK:     relax.func @other
// CHECK-NOT: quantize
// CHECK:       %y = relax.matmul %x, %w
// CHECK-NOT: quantize
relax.func @main(%x: !relax.tensor<[n, 2], f32>, %w: !relax.tensor<[2, 1], f32>, %d: !relax.tensor<[n, 2], f64>) -> tuple<!relax.tensor<[n, 1], f32>, !relax.tensor<[n, 1], f64>, !relax.tensor<*, f32>> {
  %a = relax.matmul %x, %w : (!relax.tensor<[n, 2], f32>, !relax.tensor<[2, 1], f32>) -> !relax.tensor<[n, 1], f32>
  %v = relax.constant dense<1.0> : tensor<2x1xf64>
  %b = relax.matmul %d, %v : (!relax.tensor<[n, 2], f64>, !relax.tensor<[2, 1], f64>) -> !relax.tensor<[n, 1], f64>
  %u = relax.let %x : (!relax.tensor<[n, 2], f32>) -> !relax.tensor<*, f32>
  %k = relax.constant dense<1.0> : tensor<2x1xf32>
  %c = relax.matmul %u, %k : (!relax.tensor<*, f32>, !relax.tensor<[2, 1], f32>) -> !relax.tensor<*, f32>
  %t = relax.tuple %a, %b, %c : (!relax.tensor<[n, 1], f32>, !relax.tensor<[n, 1], f64>, !relax.tensor<*, f32>) -> tuple<!relax.tensor<[n, 1], f32>, !relax.tensor<[n, 1], f64>, !relax.tensor<*, f32>>
  relax.return %t : tuple<!relax.tensor<[n, 1], f32>, !relax.tensor<[n, 1], f64>, !relax.tensor<*, f32>>
}
relax.func @other(%x: !relax.tensor<[n, 2], f32>) -> !relax.tensor<[n, 1], f32> {
  %w = relax.constant dense<1.0> : tensor<2x1xf32>
  %y = relax.matmul %x, %w : (!relax.tensor<[n, 2], f32>, !relax.tensor<[2, 1], f32>) -> !relax.tensor<[n, 1], f32>
  relax.return %y : !relax.tensor<[n, 1], f32>
}
