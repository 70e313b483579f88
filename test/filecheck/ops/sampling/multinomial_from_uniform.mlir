// RUN: relax-opt %s | relax-opt | filecheck %s

// CHECK-LABEL: relax.func @static(
// CHECK-NEXT: %r = relax.multinomial_from_uniform %p, %u, %s : (!relax.tensor<[2, 9], f32>, !relax.tensor<[4, 1], f32>, !relax.tensor<[4, 1], i64>) -> !relax.tensor<[4, 1], i64>{{$}}
relax.func @static(%p: !relax.tensor<[2, 9], f32>, %u: !relax.tensor<[4, 1], f32>, %s: !relax.tensor<[4, 1], i64>) -> !relax.object {
  %r = relax.multinomial_from_uniform %p, %u, %s : (!relax.tensor<[2, 9], f32>, !relax.tensor<[4, 1], f32>, !relax.tensor<[4, 1], i64>) -> !relax.tensor<[4, 1], i64>
  relax.return %r : !relax.tensor<[4, 1], i64>
}

// CHECK-LABEL: relax.func @symbolic(
// CHECK-NEXT: %r = relax.multinomial_from_uniform %p, %u, %s {dtype = i32} : (!relax.tensor<[b, v], f16>, !relax.tensor<[n, 1], f32>, !relax.tensor<[n, 1], i32>) -> !relax.tensor<[n, 1], i32>{{$}}
relax.func @symbolic(%p: !relax.tensor<[b, v], f16>, %u: !relax.tensor<[n, 1], f32>, %s: !relax.tensor<[n, 1], i32>) -> !relax.object {
  %r = relax.multinomial_from_uniform %p, %u, %s {dtype = i32} : (!relax.tensor<[b, v], f16>, !relax.tensor<[n, 1], f32>, !relax.tensor<[n, 1], i32>) -> !relax.tensor<[n, 1], i32>
  relax.return %r : !relax.tensor<[n, 1], i32>
}

// CHECK-LABEL: relax.func @unknown(
// CHECK-NEXT: %r = relax.multinomial_from_uniform %p, %u, %s : (!relax.tensor<*>, !relax.tensor<[?, 1]>, !relax.tensor<[n, 1], i32>) -> !relax.tensor<[n, 1], i64>{{$}}
relax.func @unknown(%p: !relax.tensor<*>, %u: !relax.tensor<[?, 1]>, %s: !relax.tensor<[n, 1], i32>) -> !relax.object {
  %r = relax.multinomial_from_uniform %p, %u, %s : (!relax.tensor<*>, !relax.tensor<[?, 1]>, !relax.tensor<[n, 1], i32>) -> !relax.tensor<[n, 1], i64>
  relax.return %r : !relax.tensor<[n, 1], i64>
}

// CHECK-LABEL: relax.func @unknown_rank(
// CHECK-NEXT: %r = relax.multinomial_from_uniform %p, %u, %s : (!relax.tensor<*>, !relax.tensor<*>, !relax.tensor<*, i64>) -> !relax.tensor<[?, 1], i64>{{$}}
relax.func @unknown_rank(%p: !relax.tensor<*>, %u: !relax.tensor<*>, %s: !relax.tensor<*, i64>) -> !relax.object {
  %r = relax.multinomial_from_uniform %p, %u, %s : (!relax.tensor<*>, !relax.tensor<*>, !relax.tensor<*, i64>) -> !relax.tensor<[?, 1], i64>
  relax.return %r : !relax.tensor<[?, 1], i64>
}
