// RUN: relax-opt %s -p relax-fold-zero-points,relax-dce | filecheck %s

// The zero point of x becomes a number for each column: -2 * (1 + 3 + 5, 2 + 4 + 6).

// CHECK:       relax.func @layer
// CHECK:         %[[P:.*]] = relax.matmul %x, %{{.*}} {out_dtype = i32} : (!relax.tensor<[n, 3], ui8>, !relax.tensor<[3, 2], i8>) -> !relax.tensor<[n, 2], i32>
// CHECK:         dense<[-18, -24]> : tensor<2xi32>
// CHECK:         %[[Y:.*]] = relax.add %[[P]],
// CHECK:         relax.astype %[[Y]] {dtype = f32}
// CHECK:         dense<[2.500000e-01, 5.000000e-01]> : tensor<2xf32>
// CHECK:         relax.multiply
// CHECK:         relax.round
// CHECK:         dense<7.000000e+00> : tensor<f32>
// CHECK:         relax.astype %{{.*}} {dtype = ui8}
relax.func @layer(%x: !relax.tensor<[n, 3], ui8>) -> !relax.tensor<[n, 2], ui8> {
  %w = relax.constant dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi8>
  %zx = relax.constant dense<2> : tensor<ui8>
  %zw = relax.constant dense<0> : tensor<i8>
  %y = relax.matmul_integer %x, %w, %zx, %zw : (!relax.tensor<[n, 3], ui8>, !relax.tensor<[3, 2], i8>, !relax.tensor<[], ui8>, !relax.tensor<[], i8>) -> !relax.tensor<[n, 2], i32>
  %s = relax.constant dense<[0.125, 0.25]> : tensor<2xf32>
  %zero = relax.constant dense<0> : tensor<i32>
  %t = relax.constant dense<0.5> : tensor<f32>
  %zt = relax.constant dense<7> : tensor<ui8>
  %z = relax.requantize %y, %s, %zero, %t, %zt {out_dtype = ui8} : (!relax.tensor<[n, 2], i32>, !relax.tensor<[2], f32>, !relax.tensor<[], i32>, !relax.tensor<[], f32>, !relax.tensor<[], ui8>) -> !relax.tensor<[n, 2], ui8>
  relax.return %z : !relax.tensor<[n, 2], ui8>
}

// Weights that are a parameter stay with their zero points.

// CHECK:       relax.func @stays
// CHECK:         relax.matmul_integer
relax.func @stays(%x: !relax.tensor<[n, 3], ui8>, %w: !relax.tensor<[3, 2], i8>) -> !relax.tensor<[n, 2], i32> {
  %zx = relax.constant dense<2> : tensor<ui8>
  %zw = relax.constant dense<0> : tensor<i8>
  %y = relax.matmul_integer %x, %w, %zx, %zw : (!relax.tensor<[n, 3], ui8>, !relax.tensor<[3, 2], i8>, !relax.tensor<[], ui8>, !relax.tensor<[], i8>) -> !relax.tensor<[n, 2], i32>
  relax.return %y : !relax.tensor<[n, 2], i32>
}
