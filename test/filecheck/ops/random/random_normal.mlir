// RUN: relax-opt %s | relax-opt | filecheck %s

// CHECK-LABEL: relax.func @static(
// CHECK-NEXT: %r = relax.random_normal %k, %s : (!relax.tensor<[], i64>, !relax.shape<[2, 3]>) -> !relax.tensor<[2, 3], f32>{{$}}
relax.func @static(%k: !relax.tensor<[], i64>, %s: !relax.shape<[2, 3]>) -> !relax.object {
  %r = relax.random_normal %k, %s : (!relax.tensor<[], i64>, !relax.shape<[2, 3]>) -> !relax.tensor<[2, 3], f32>
  relax.return %r : !relax.tensor<[2, 3], f32>
}

// CHECK-LABEL: relax.func @symbolic(
// CHECK-NEXT: %r = relax.random_normal %k, %s {dtype = f64, scale = 2.500000e-01 : f64} : (!relax.tensor<[], i64>, !relax.shape<[n, 2 * n]>) -> !relax.tensor<[n, 2 * n], f64>{{$}}
relax.func @symbolic(%k: !relax.tensor<[], i64>, %s: !relax.shape<[n, 2 * n]>) -> !relax.object {
  %r = relax.random_normal %k, %s {dtype = f64, scale = 2.500000e-01 : f64} : (!relax.tensor<[], i64>, !relax.shape<[n, 2 * n]>) -> !relax.tensor<[n, 2 * n], f64>
  relax.return %r : !relax.tensor<[n, 2 * n], f64>
}

// CHECK-LABEL: relax.func @unknown(
// CHECK-NEXT: %r = relax.random_normal %k, %s : (!relax.tensor<*>, !relax.shape<*>) -> !relax.tensor<*, f32>{{$}}
relax.func @unknown(%k: !relax.tensor<*>, %s: !relax.shape<*>) -> !relax.object {
  %r = relax.random_normal %k, %s : (!relax.tensor<*>, !relax.shape<*>) -> !relax.tensor<*, f32>
  relax.return %r : !relax.tensor<*, f32>
}
