// RUN: relax-opt %s | relax-opt | filecheck %s

// CHECK-LABEL: relax.func @static(
// CHECK-NEXT: %r = relax.eye_like %x {k = 1 : i64} : (!relax.tensor<[3, 4], f32>) -> !relax.tensor<[3, 4], f32>{{$}}
relax.func @static(%x: !relax.tensor<[3, 4], f32>) -> !relax.object {
  %r = relax.eye_like %x {k = 1 : i64} : (!relax.tensor<[3, 4], f32>) -> !relax.tensor<[3, 4], f32>
  relax.return %r : !relax.tensor<[3, 4], f32>
}

// CHECK-LABEL: relax.func @symbolic(
// CHECK-NEXT: %r = relax.eye_like %x {dtype = i8} : (!relax.tensor<[n, m], f32>) -> !relax.tensor<[n, m], i8>{{$}}
relax.func @symbolic(%x: !relax.tensor<[n, m], f32>) -> !relax.object {
  %r = relax.eye_like %x {dtype = i8} : (!relax.tensor<[n, m], f32>) -> !relax.tensor<[n, m], i8>
  relax.return %r : !relax.tensor<[n, m], i8>
}

// CHECK-LABEL: relax.func @unknown(
// CHECK-NEXT: %r = relax.eye_like %x {k = 0 : i64} : (!relax.tensor<[?, m]>) -> !relax.tensor<[?, m]>{{$}}
relax.func @unknown(%x: !relax.tensor<[?, m]>) -> !relax.object {
  %r = relax.eye_like %x {k = 0 : i64} : (!relax.tensor<[?, m]>) -> !relax.tensor<[?, m]>
  relax.return %r : !relax.tensor<[?, m]>
}

// CHECK-LABEL: relax.func @unknown_rank(
// CHECK-NEXT: %r = relax.eye_like %x : (!relax.tensor<*, f32>) -> !relax.tensor<[?, ?], f32>{{$}}
relax.func @unknown_rank(%x: !relax.tensor<*, f32>) -> !relax.object {
  %r = relax.eye_like %x : (!relax.tensor<*, f32>) -> !relax.tensor<[?, ?], f32>
  relax.return %r : !relax.tensor<[?, ?], f32>
}
