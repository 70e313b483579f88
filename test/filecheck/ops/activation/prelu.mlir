// RUN: relax-opt %s | relax-opt | filecheck %s

// CHECK-LABEL: relax.func @channels(
// CHECK-NEXT: %r = relax.prelu %x, %a {axis = 1 : i64} : (!relax.tensor<[n, 4, 5], f32>, !relax.tensor<[4], f32>) -> !relax.tensor<[n, 4, 5], f32>{{$}}
relax.func @channels(%x: !relax.tensor<[n, 4, 5], f32>, %a: !relax.tensor<[4], f32>) -> !relax.object {
  %r = relax.prelu %x, %a {axis = 1 : i64} : (!relax.tensor<[n, 4, 5], f32>, !relax.tensor<[4], f32>) -> !relax.tensor<[n, 4, 5], f32>
  relax.return %r : !relax.tensor<[n, 4, 5], f32>
}

// CHECK-LABEL: relax.func @shared(
// CHECK-NEXT: %r = relax.prelu %x, %a {axis = -1 : i64} : (!relax.tensor<[n, m], f16>, !relax.tensor<[1], f16>) -> !relax.tensor<[n, m], f16>{{$}}
relax.func @shared(%x: !relax.tensor<[n, m], f16>, %a: !relax.tensor<[1], f16>) -> !relax.object {
  %r = relax.prelu %x, %a {axis = -1 : i64} : (!relax.tensor<[n, m], f16>, !relax.tensor<[1], f16>) -> !relax.tensor<[n, m], f16>
  relax.return %r : !relax.tensor<[n, m], f16>
}

// CHECK-LABEL: relax.func @unproved(
// CHECK-NEXT: %r = relax.prelu %x, %a {axis = 0 : i64} : (!relax.tensor<[n, m], f32>, !relax.tensor<[k], f32>) -> !relax.tensor<[n, m], f32>{{$}}
relax.func @unproved(%x: !relax.tensor<[n, m], f32>, %a: !relax.tensor<[k], f32>) -> !relax.object {
  %r = relax.prelu %x, %a {axis = 0 : i64} : (!relax.tensor<[n, m], f32>, !relax.tensor<[k], f32>) -> !relax.tensor<[n, m], f32>
  relax.return %r : !relax.tensor<[n, m], f32>
}

// CHECK-LABEL: relax.func @unknown_rank(
// CHECK-NEXT: %r = relax.prelu %x, %a {axis = 2 : i64} : (!relax.tensor<*, f32>, !relax.tensor<[k], f32>) -> !relax.tensor<*, f32>{{$}}
relax.func @unknown_rank(%x: !relax.tensor<*, f32>, %a: !relax.tensor<[k], f32>) -> !relax.object {
  %r = relax.prelu %x, %a {axis = 2 : i64} : (!relax.tensor<*, f32>, !relax.tensor<[k], f32>) -> !relax.tensor<*, f32>
  relax.return %r : !relax.tensor<*, f32>
}

// CHECK-LABEL: relax.func @unknown_dtype(
// CHECK-NEXT: %r = relax.prelu %x, %a {axis = 0 : i64} : (!relax.tensor<[n]>, !relax.tensor<[n], f32>) -> !relax.tensor<[n]>{{$}}
relax.func @unknown_dtype(%x: !relax.tensor<[n]>, %a: !relax.tensor<[n], f32>) -> !relax.object {
  %r = relax.prelu %x, %a {axis = 0 : i64} : (!relax.tensor<[n]>, !relax.tensor<[n], f32>) -> !relax.tensor<[n]>
  relax.return %r : !relax.tensor<[n]>
}
