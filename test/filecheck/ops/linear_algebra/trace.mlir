// RUN: relax-opt %s | relax-opt | filecheck %s

// CHECK-LABEL: relax.func @static(
// CHECK-NEXT: %r = relax.trace %x : (!relax.tensor<[3, 3], f32>) -> !relax.tensor<[], f32>{{$}}
relax.func @static(%x: !relax.tensor<[3, 3], f32>) -> !relax.object {
  %r = relax.trace %x : (!relax.tensor<[3, 3], f32>) -> !relax.tensor<[], f32>
  relax.return %r : !relax.tensor<[], f32>
}

// CHECK-LABEL: relax.func @symbolic(
// CHECK-NEXT: %r = relax.trace %x {offset = -1 : i64, axis1 = -1 : i64, axis2 = 0 : i64} : (!relax.tensor<[n, m, k], i32>) -> !relax.tensor<[m], i32>{{$}}
relax.func @symbolic(%x: !relax.tensor<[n, m, k], i32>) -> !relax.object {
  %r = relax.trace %x {offset = -1 : i64, axis1 = -1 : i64, axis2 = 0 : i64} : (!relax.tensor<[n, m, k], i32>) -> !relax.tensor<[m], i32>
  relax.return %r : !relax.tensor<[m], i32>
}

// CHECK-LABEL: relax.func @unknown_dim(
// CHECK-NEXT: %r = relax.trace %x : (!relax.tensor<[?, ?, m], f32>) -> !relax.tensor<[m], f32>{{$}}
relax.func @unknown_dim(%x: !relax.tensor<[?, ?, m], f32>) -> !relax.object {
  %r = relax.trace %x : (!relax.tensor<[?, ?, m], f32>) -> !relax.tensor<[m], f32>
  relax.return %r : !relax.tensor<[m], f32>
}

// CHECK-LABEL: relax.func @unknown_rank(
// CHECK-NEXT: %r = relax.trace %x : (!relax.tensor<*, f32>) -> !relax.tensor<*, f32>{{$}}
relax.func @unknown_rank(%x: !relax.tensor<*, f32>) -> !relax.object {
  %r = relax.trace %x : (!relax.tensor<*, f32>) -> !relax.tensor<*, f32>
  relax.return %r : !relax.tensor<*, f32>
}

// CHECK-LABEL: relax.func @unknown_dtype(
// CHECK-NEXT: %r = relax.trace %x : (!relax.tensor<[n, n]>) -> !relax.tensor<[]>{{$}}
relax.func @unknown_dtype(%x: !relax.tensor<[n, n]>) -> !relax.object {
  %r = relax.trace %x : (!relax.tensor<[n, n]>) -> !relax.tensor<[]>
  relax.return %r : !relax.tensor<[]>
}
