// RUN: relax-opt %s | relax-opt | filecheck %s

// CHECK-LABEL: relax.func @static(
// CHECK-NEXT: %r = relax.masked_fill %x, %y {value = -1.000000e+00 : f64} : (!relax.tensor<[2, 3], f32>, !relax.tensor<[2, 3], i1>) -> !relax.tensor<[2, 3], f32>{{$}}
relax.func @static(%x: !relax.tensor<[2, 3], f32>, %y: !relax.tensor<[2, 3], i1>) -> !relax.object {
  %r = relax.masked_fill %x, %y {value = -1.000000e+00 : f64} : (!relax.tensor<[2, 3], f32>, !relax.tensor<[2, 3], i1>) -> !relax.tensor<[2, 3], f32>
  relax.return %r : !relax.tensor<[2, 3], f32>
}

// CHECK-LABEL: relax.func @broadcast(
// CHECK-NEXT: %r = relax.masked_fill %x, %y {value = -7 : i64} : (!relax.tensor<[m], i8>, !relax.tensor<[n, 1], i1>) -> !relax.tensor<[n, m], i8>{{$}}
relax.func @broadcast(%x: !relax.tensor<[m], i8>, %y: !relax.tensor<[n, 1], i1>) -> !relax.object {
  %r = relax.masked_fill %x, %y {value = -7 : i64} : (!relax.tensor<[m], i8>, !relax.tensor<[n, 1], i1>) -> !relax.tensor<[n, m], i8>
  relax.return %r : !relax.tensor<[n, m], i8>
}

// CHECK-LABEL: relax.func @infinite(
// CHECK-NEXT: %r = relax.masked_fill %x, %y {value = 0xfff0000000000000 : f64} : (!relax.tensor<[n], f32>, !relax.tensor<[n], i1>) -> !relax.tensor<[n], f32>{{$}}
relax.func @infinite(%x: !relax.tensor<[n], f32>, %y: !relax.tensor<[n], i1>) -> !relax.object {
  %r = relax.masked_fill %x, %y {value = 0xfff0000000000000 : f64} : (!relax.tensor<[n], f32>, !relax.tensor<[n], i1>) -> !relax.tensor<[n], f32>
  relax.return %r : !relax.tensor<[n], f32>
}

// CHECK-LABEL: relax.func @unknown(
// CHECK-NEXT: %r = relax.masked_fill %x, %y {value = 1 : i64} : (!relax.tensor<[?]>, !relax.tensor<[4]>) -> !relax.tensor<[4]>{{$}}
relax.func @unknown(%x: !relax.tensor<[?]>, %y: !relax.tensor<[4]>) -> !relax.object {
  %r = relax.masked_fill %x, %y {value = 1 : i64} : (!relax.tensor<[?]>, !relax.tensor<[4]>) -> !relax.tensor<[4]>
  relax.return %r : !relax.tensor<[4]>
}

// CHECK-LABEL: relax.func @unknown_rank(
// CHECK-NEXT: %r = relax.masked_fill %x, %y {value = 1 : i64} : (!relax.tensor<*, f32>, !relax.tensor<[n], i1>) -> !relax.tensor<*, f32>{{$}}
relax.func @unknown_rank(%x: !relax.tensor<*, f32>, %y: !relax.tensor<[n], i1>) -> !relax.object {
  %r = relax.masked_fill %x, %y {value = 1 : i64} : (!relax.tensor<*, f32>, !relax.tensor<[n], i1>) -> !relax.tensor<*, f32>
  relax.return %r : !relax.tensor<*, f32>
}
