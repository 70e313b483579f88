// RUN: relax-opt %s | relax-opt | filecheck %s

// CHECK-LABEL: relax.func @static(
// CHECK-NEXT: %r = relax.size %x : (!relax.tensor<[2, 3], f32>) -> !relax.tensor<[], i64>{{$}}
relax.func @static(%x: !relax.tensor<[2, 3], f32>) -> !relax.object {
  %r = relax.size %x : (!relax.tensor<[2, 3], f32>) -> !relax.tensor<[], i64>
  relax.return %r : !relax.tensor<[], i64>
}

// CHECK-LABEL: relax.func @symbolic(
// CHECK-NEXT: %r = relax.size %x : (!relax.tensor<[n, m], i8>) -> !relax.tensor<[], i64>{{$}}
relax.func @symbolic(%x: !relax.tensor<[n, m], i8>) -> !relax.object {
  %r = relax.size %x : (!relax.tensor<[n, m], i8>) -> !relax.tensor<[], i64>
  relax.return %r : !relax.tensor<[], i64>
}

// CHECK-LABEL: relax.func @unknown(
// CHECK-NEXT: %r = relax.size %x : (!relax.tensor<*>) -> !relax.tensor<[], i64>{{$}}
relax.func @unknown(%x: !relax.tensor<*>) -> !relax.object {
  %r = relax.size %x : (!relax.tensor<*>) -> !relax.tensor<[], i64>
  relax.return %r : !relax.tensor<[], i64>
}
