// RUN: relax-opt %s | relax-opt | filecheck %s

// CHECK-LABEL: relax.func @static(
// CHECK-NEXT: %r = relax.zeros_like %x : (!relax.tensor<[2, 3], f32>) -> !relax.tensor<[2, 3], f32>{{$}}
relax.func @static(%x: !relax.tensor<[2, 3], f32>) -> !relax.object {
  %r = relax.zeros_like %x : (!relax.tensor<[2, 3], f32>) -> !relax.tensor<[2, 3], f32>
  relax.return %r : !relax.tensor<[2, 3], f32>
}

// CHECK-LABEL: relax.func @dtype(
// CHECK-NEXT: %r = relax.zeros_like %x {dtype = i64} : (!relax.tensor<[n, m], f32>) -> !relax.tensor<[n, m], i64>{{$}}
relax.func @dtype(%x: !relax.tensor<[n, m], f32>) -> !relax.object {
  %r = relax.zeros_like %x {dtype = i64} : (!relax.tensor<[n, m], f32>) -> !relax.tensor<[n, m], i64>
  relax.return %r : !relax.tensor<[n, m], i64>
}

// CHECK-LABEL: relax.func @unknown(
// CHECK-NEXT: %r = relax.zeros_like %x : (!relax.tensor<[n, ?]>) -> !relax.tensor<[n, ?]>{{$}}
relax.func @unknown(%x: !relax.tensor<[n, ?]>) -> !relax.object {
  %r = relax.zeros_like %x : (!relax.tensor<[n, ?]>) -> !relax.tensor<[n, ?]>
  relax.return %r : !relax.tensor<[n, ?]>
}

// CHECK-LABEL: relax.func @unknown_rank(
// CHECK-NEXT: %r = relax.zeros_like %x {dtype = i1} : (!relax.tensor<*, f32>) -> !relax.tensor<*, i1>{{$}}
relax.func @unknown_rank(%x: !relax.tensor<*, f32>) -> !relax.object {
  %r = relax.zeros_like %x {dtype = i1} : (!relax.tensor<*, f32>) -> !relax.tensor<*, i1>
  relax.return %r : !relax.tensor<*, i1>
}
