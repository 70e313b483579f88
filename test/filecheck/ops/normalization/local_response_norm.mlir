// RUN: relax-opt %s | relax-opt | filecheck %s

// CHECK-LABEL: relax.func @static(
// CHECK-NEXT: %r = relax.local_response_norm %x {size = 5 : i64} : (!relax.tensor<[2, 3, 4, 5], f32>) -> !relax.tensor<[2, 3, 4, 5], f32>{{$}}
relax.func @static(%x: !relax.tensor<[2, 3, 4, 5], f32>) -> !relax.object {
  %r = relax.local_response_norm %x {size = 5 : i64} : (!relax.tensor<[2, 3, 4, 5], f32>) -> !relax.tensor<[2, 3, 4, 5], f32>
  relax.return %r : !relax.tensor<[2, 3, 4, 5], f32>
}

// CHECK-LABEL: relax.func @symbolic(
// CHECK-NEXT: %r = relax.local_response_norm %x {size = 2 : i64, alpha = 5.000000e-01 : f64, beta = 5.000000e-01 : f64, k = 2.000000e+00 : f64} : (!relax.tensor<[n, c], f32>) -> !relax.tensor<[n, c], f32>{{$}}
relax.func @symbolic(%x: !relax.tensor<[n, c], f32>) -> !relax.object {
  %r = relax.local_response_norm %x {size = 2 : i64, alpha = 5.000000e-01 : f64, beta = 5.000000e-01 : f64, k = 2.000000e+00 : f64} : (!relax.tensor<[n, c], f32>) -> !relax.tensor<[n, c], f32>
  relax.return %r : !relax.tensor<[n, c], f32>
}

// CHECK-LABEL: relax.func @unknown(
// CHECK-NEXT: %r = relax.local_response_norm %x {size = 1 : i64} : (!relax.tensor<*>) -> !relax.tensor<*>{{$}}
relax.func @unknown(%x: !relax.tensor<*>) -> !relax.object {
  %r = relax.local_response_norm %x {size = 1 : i64} : (!relax.tensor<*>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}
