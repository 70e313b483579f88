// RUN: relax-opt %s | relax-opt | filecheck %s

// CHECK-LABEL: relax.func @static(
// CHECK-NEXT: %r = relax.det %x : (!relax.tensor<[3, 3], f64>) -> !relax.tensor<[], f64>{{$}}
relax.func @static(%x: !relax.tensor<[3, 3], f64>) -> !relax.object {
  %r = relax.det %x : (!relax.tensor<[3, 3], f64>) -> !relax.tensor<[], f64>
  relax.return %r : !relax.tensor<[], f64>
}

// CHECK-LABEL: relax.func @symbolic(
// CHECK-NEXT: %r = relax.det %x : (!relax.tensor<[n, 2 * k, m, k + m], f32>) -> !relax.tensor<[n, 2 * k], f32>{{$}}
relax.func @symbolic(%x: !relax.tensor<[n, 2 * k, m, k + m], f32>, %s: !relax.shape<[k, m]>) -> !relax.object {
  %r = relax.det %x : (!relax.tensor<[n, 2 * k, m, k + m], f32>) -> !relax.tensor<[n, 2 * k], f32>
  relax.return %r : !relax.tensor<[n, 2 * k], f32>
}

// CHECK-LABEL: relax.func @unknown(
// CHECK-NEXT: %r = relax.det %x : (!relax.tensor<*>) -> !relax.tensor<*>{{$}}
relax.func @unknown(%x: !relax.tensor<*>) -> !relax.object {
  %r = relax.det %x : (!relax.tensor<*>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}
