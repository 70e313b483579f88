// RUN: relax-opt %s | relax-opt | filecheck %s

// CHECK-LABEL: relax.func @static(
// CHECK-NEXT: %r = relax.logcumsumexp %x {axis = 0 : i64} : (!relax.tensor<[3, 4], f32>) -> !relax.tensor<[3, 4], f32>{{$}}
relax.func @static(%x: !relax.tensor<[3, 4], f32>) -> !relax.object {
  %r = relax.logcumsumexp %x {axis = 0 : i64} : (!relax.tensor<[3, 4], f32>) -> !relax.tensor<[3, 4], f32>
  relax.return %r : !relax.tensor<[3, 4], f32>
}

// CHECK-LABEL: relax.func @symbolic(
// CHECK-NEXT: %r = relax.logcumsumexp %x {axis = -1 : i64} : (!relax.tensor<[n, m], f16>) -> !relax.tensor<[n, m], f16>{{$}}
relax.func @symbolic(%x: !relax.tensor<[n, m], f16>) -> !relax.object {
  %r = relax.logcumsumexp %x {axis = -1 : i64} : (!relax.tensor<[n, m], f16>) -> !relax.tensor<[n, m], f16>
  relax.return %r : !relax.tensor<[n, m], f16>
}

// CHECK-LABEL: relax.func @default(
// CHECK-NEXT: %r = relax.logcumsumexp %x : (!relax.tensor<[n, m], f64>) -> !relax.tensor<[n, m], f64>{{$}}
relax.func @default(%x: !relax.tensor<[n, m], f64>) -> !relax.object {
  %r = relax.logcumsumexp %x : (!relax.tensor<[n, m], f64>) -> !relax.tensor<[n, m], f64>
  relax.return %r : !relax.tensor<[n, m], f64>
}

// CHECK-LABEL: relax.func @unknown_dim(
// CHECK-NEXT: %r = relax.logcumsumexp %x {axis = 0 : i64} : (!relax.tensor<[?, 4], f32>) -> !relax.tensor<[?, 4], f32>{{$}}
relax.func @unknown_dim(%x: !relax.tensor<[?, 4], f32>) -> !relax.object {
  %r = relax.logcumsumexp %x {axis = 0 : i64} : (!relax.tensor<[?, 4], f32>) -> !relax.tensor<[?, 4], f32>
  relax.return %r : !relax.tensor<[?, 4], f32>
}

// CHECK-LABEL: relax.func @unknown_rank(
// CHECK-NEXT: %r = relax.logcumsumexp %x {axis = 2 : i64} : (!relax.tensor<*, f32>) -> !relax.tensor<*, f32>{{$}}
relax.func @unknown_rank(%x: !relax.tensor<*, f32>) -> !relax.object {
  %r = relax.logcumsumexp %x {axis = 2 : i64} : (!relax.tensor<*, f32>) -> !relax.tensor<*, f32>
  relax.return %r : !relax.tensor<*, f32>
}

// CHECK-LABEL: relax.func @unknown_dtype(
// CHECK-NEXT: %r = relax.logcumsumexp %x {axis = 0 : i64} : (!relax.tensor<[n]>) -> !relax.tensor<[n]>{{$}}
relax.func @unknown_dtype(%x: !relax.tensor<[n]>) -> !relax.object {
  %r = relax.logcumsumexp %x {axis = 0 : i64} : (!relax.tensor<[n]>) -> !relax.tensor<[n]>
  relax.return %r : !relax.tensor<[n]>
}
