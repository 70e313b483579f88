// RUN: relax-opt %s | relax-opt | filecheck %s

// CHECK-LABEL: relax.func @static(
// CHECK-NEXT: %r = relax.linear %x, %y, %z : (!relax.tensor<[2, 3], f32>, !relax.tensor<[4, 3], f32>, !relax.tensor<[4], f32>) -> !relax.tensor<[2, 4], f32>{{$}}
relax.func @static(%x: !relax.tensor<[2, 3], f32>, %y: !relax.tensor<[4, 3], f32>, %z: !relax.tensor<[4], f32>) -> !relax.object {
  %r = relax.linear %x, %y, %z : (!relax.tensor<[2, 3], f32>, !relax.tensor<[4, 3], f32>, !relax.tensor<[4], f32>) -> !relax.tensor<[2, 4], f32>
  relax.return %r : !relax.tensor<[2, 4], f32>
}

// CHECK-LABEL: relax.func @symbolic(
// CHECK-NEXT: %r = relax.linear %x, %y : (!relax.tensor<[b, k, 2 * k], f16>, !relax.tensor<[m, 2 * k], f16>) -> !relax.tensor<[b, k, m], f16>{{$}}
relax.func @symbolic(%x: !relax.tensor<[b, k, 2 * k], f16>, %y: !relax.tensor<[m, 2 * k], f16>) -> !relax.object {
  %r = relax.linear %x, %y : (!relax.tensor<[b, k, 2 * k], f16>, !relax.tensor<[m, 2 * k], f16>) -> !relax.tensor<[b, k, m], f16>
  relax.return %r : !relax.tensor<[b, k, m], f16>
}

// CHECK-LABEL: relax.func @row(
// CHECK-NEXT: %r = relax.linear %x, %y : (!relax.tensor<[k], f32>, !relax.tensor<[m, k], f32>) -> !relax.tensor<[m], f32>{{$}}
relax.func @row(%x: !relax.tensor<[k], f32>, %y: !relax.tensor<[m, k], f32>) -> !relax.object {
  %r = relax.linear %x, %y : (!relax.tensor<[k], f32>, !relax.tensor<[m, k], f32>) -> !relax.tensor<[m], f32>
  relax.return %r : !relax.tensor<[m], f32>
}

// CHECK-LABEL: relax.func @number(
// CHECK-NEXT: %r = relax.linear %x, %y, %z : (!relax.tensor<[n, k], f32>, !relax.tensor<[k], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[n], f32>{{$}}
relax.func @number(%x: !relax.tensor<[n, k], f32>, %y: !relax.tensor<[k], f32>, %z: !relax.tensor<[], f32>) -> !relax.object {
  %r = relax.linear %x, %y, %z : (!relax.tensor<[n, k], f32>, !relax.tensor<[k], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[n], f32>
  relax.return %r : !relax.tensor<[n], f32>
}

// CHECK-LABEL: relax.func @out_dtype(
// CHECK-NEXT: %r = relax.linear %x, %y, %z {out_dtype = i32} : (!relax.tensor<[n, k], i8>, !relax.tensor<[m, k], ui8>, !relax.tensor<[m], i32>) -> !relax.tensor<[n, m], i32>{{$}}
relax.func @out_dtype(%x: !relax.tensor<[n, k], i8>, %y: !relax.tensor<[m, k], ui8>, %z: !relax.tensor<[m], i32>) -> !relax.object {
  %r = relax.linear %x, %y, %z {out_dtype = i32} : (!relax.tensor<[n, k], i8>, !relax.tensor<[m, k], ui8>, !relax.tensor<[m], i32>) -> !relax.tensor<[n, m], i32>
  relax.return %r : !relax.tensor<[n, m], i32>
}

// CHECK-LABEL: relax.func @unknown_dim(
// CHECK-NEXT: %r = relax.linear %x, %y : (!relax.tensor<[?, ?], f32>, !relax.tensor<[?, k], f32>) -> !relax.tensor<[?, ?], f32>{{$}}
relax.func @unknown_dim(%x: !relax.tensor<[?, ?], f32>, %y: !relax.tensor<[?, k], f32>) -> !relax.object {
  %r = relax.linear %x, %y : (!relax.tensor<[?, ?], f32>, !relax.tensor<[?, k], f32>) -> !relax.tensor<[?, ?], f32>
  relax.return %r : !relax.tensor<[?, ?], f32>
}

// CHECK-LABEL: relax.func @unknown_rank(
// CHECK-NEXT: %r = relax.linear %x, %y, %z : (!relax.tensor<*, f32>, !relax.tensor<[m, k], f32>, !relax.tensor<[m], f32>) -> !relax.tensor<*, f32>{{$}}
relax.func @unknown_rank(%x: !relax.tensor<*, f32>, %y: !relax.tensor<[m, k], f32>, %z: !relax.tensor<[m], f32>) -> !relax.object {
  %r = relax.linear %x, %y, %z : (!relax.tensor<*, f32>, !relax.tensor<[m, k], f32>, !relax.tensor<[m], f32>) -> !relax.tensor<*, f32>
  relax.return %r : !relax.tensor<*, f32>
}

// CHECK-LABEL: relax.func @unknown_dtype(
// CHECK-NEXT: %r = relax.linear %x, %y : (!relax.tensor<[n, k]>, !relax.tensor<[m, k], f32>) -> !relax.tensor<[n, m]>{{$}}
relax.func @unknown_dtype(%x: !relax.tensor<[n, k]>, %y: !relax.tensor<[m, k], f32>) -> !relax.object {
  %r = relax.linear %x, %y : (!relax.tensor<[n, k]>, !relax.tensor<[m, k], f32>) -> !relax.tensor<[n, m]>
  relax.return %r : !relax.tensor<[n, m]>
}
