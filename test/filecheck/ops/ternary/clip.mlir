// RUN: relax-opt %s | relax-opt | filecheck %s

// CHECK-LABEL: relax.func @static(
// CHECK-NEXT: %r = relax.clip %x {min = 0 : i64, max = 6.000000e+00 : f64} : (!relax.tensor<[2, 3], f32>) -> !relax.tensor<[2, 3], f32>{{$}}
relax.func @static(%x: !relax.tensor<[2, 3], f32>) -> !relax.object {
  %r = relax.clip %x {min = 0 : i64, max = 6.000000e+00 : f64} : (!relax.tensor<[2, 3], f32>) -> !relax.tensor<[2, 3], f32>
  relax.return %r : !relax.tensor<[2, 3], f32>
}

// CHECK-LABEL: relax.func @symbolic(
// CHECK-NEXT: %r = relax.clip %x {min = -128 : i64, max = 127 : i64} : (!relax.tensor<[n], i8>) -> !relax.tensor<[n], i8>{{$}}
relax.func @symbolic(%x: !relax.tensor<[n], i8>) -> !relax.object {
  %r = relax.clip %x {min = -128 : i64, max = 127 : i64} : (!relax.tensor<[n], i8>) -> !relax.tensor<[n], i8>
  relax.return %r : !relax.tensor<[n], i8>
}

// CHECK-LABEL: relax.func @below(
// CHECK-NEXT: %r = relax.clip %x {min = 0 : i64} : (!relax.tensor<[n, m], f16>) -> !relax.tensor<[n, m], f16>{{$}}
relax.func @below(%x: !relax.tensor<[n, m], f16>) -> !relax.object {
  %r = relax.clip %x {min = 0 : i64} : (!relax.tensor<[n, m], f16>) -> !relax.tensor<[n, m], f16>
  relax.return %r : !relax.tensor<[n, m], f16>
}

// CHECK-LABEL: relax.func @infinite(
// CHECK-NEXT: %r = relax.clip %x {max = 0x7ff0000000000000 : f64} : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>{{$}}
relax.func @infinite(%x: !relax.tensor<[n], f32>) -> !relax.object {
  %r = relax.clip %x {max = 0x7ff0000000000000 : f64} : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  relax.return %r : !relax.tensor<[n], f32>
}

// CHECK-LABEL: relax.func @unknown(
// CHECK-NEXT: %r = relax.clip %x {max = 1 : i64} : (!relax.tensor<[?]>) -> !relax.tensor<[?]>{{$}}
relax.func @unknown(%x: !relax.tensor<[?]>) -> !relax.object {
  %r = relax.clip %x {max = 1 : i64} : (!relax.tensor<[?]>) -> !relax.tensor<[?]>
  relax.return %r : !relax.tensor<[?]>
}

// CHECK-LABEL: relax.func @unknown_rank(
// CHECK-NEXT: %r = relax.clip %x : (!relax.tensor<*, f32>) -> !relax.tensor<*, f32>{{$}}
relax.func @unknown_rank(%x: !relax.tensor<*, f32>) -> !relax.object {
  %r = relax.clip %x : (!relax.tensor<*, f32>) -> !relax.tensor<*, f32>
  relax.return %r : !relax.tensor<*, f32>
}
