// RUN: relax-opt %s | relax-opt | filecheck %s

// CHECK-LABEL: relax.func @sections(
// CHECK-NEXT: %r0, %r1, %r2 = relax.split %x {sections = 3 : i64, axis = 1 : i64} : (!relax.tensor<[n, 6], f32>) -> (!relax.tensor<[n, 2], f32>, !relax.tensor<[n, 2], f32>, !relax.tensor<[n, 2], f32>){{$}}
relax.func @sections(%x: !relax.tensor<[n, 6], f32>) -> !relax.object {
  %r0, %r1, %r2 = relax.split %x {sections = 3 : i64, axis = 1 : i64} : (!relax.tensor<[n, 6], f32>) -> (!relax.tensor<[n, 2], f32>, !relax.tensor<[n, 2], f32>, !relax.tensor<[n, 2], f32>)
  relax.return %r0 : !relax.tensor<[n, 2], f32>
}

// CHECK-LABEL: relax.func @last_is_shorter(
// CHECK-NEXT: %r0, %r1, %r2 = relax.split %x {sections = 3 : i64, axis = 0 : i64} : (!relax.tensor<[7], i8>) -> (!relax.tensor<[3], i8>, !relax.tensor<[3], i8>, !relax.tensor<[1], i8>){{$}}
relax.func @last_is_shorter(%x: !relax.tensor<[7], i8>) -> !relax.object {
  %r0, %r1, %r2 = relax.split %x {sections = 3 : i64, axis = 0 : i64} : (!relax.tensor<[7], i8>) -> (!relax.tensor<[3], i8>, !relax.tensor<[3], i8>, !relax.tensor<[1], i8>)
  relax.return %r0 : !relax.tensor<[3], i8>
}

// CHECK-LABEL: relax.func @divisible(
// CHECK-NEXT: %r0, %r1 = relax.split %x {sections = 2 : i64, axis = -2 : i64} : (!relax.tensor<[4 * n, m], f32>) -> (!relax.tensor<[2 * n, m], f32>, !relax.tensor<[2 * n, m], f32>){{$}}
relax.func @divisible(%x: !relax.tensor<[4 * n, m], f32>, %sizes: !relax.shape<[n]>) -> !relax.object {
  %r0, %r1 = relax.split %x {sections = 2 : i64, axis = -2 : i64} : (!relax.tensor<[4 * n, m], f32>) -> (!relax.tensor<[2 * n, m], f32>, !relax.tensor<[2 * n, m], f32>)
  relax.return %r0 : !relax.tensor<[2 * n, m], f32>
}

// CHECK-LABEL: relax.func @symbolic(
// CHECK-NEXT: %r0, %r1 = relax.split %x {sections = 2 : i64, axis = 0 : i64} : (!relax.tensor<[n], f32>) -> (!relax.tensor<[min((n + 1) floordiv 2, n)], f32>, !relax.tensor<[-min((n + 1) floordiv 2, n) + n], f32>){{$}}
relax.func @symbolic(%x: !relax.tensor<[n], f32>) -> !relax.object {
  %r0, %r1 = relax.split %x {sections = 2 : i64, axis = 0 : i64} : (!relax.tensor<[n], f32>) -> (!relax.tensor<[min((n + 1) floordiv 2, n)], f32>, !relax.tensor<[-min((n + 1) floordiv 2, n) + n], f32>)
  relax.return %r0 : !relax.tensor<[min((n + 1) floordiv 2, n)], f32>
}

// CHECK-LABEL: relax.func @indices(
// CHECK-NEXT: %r0, %r1, %r2, %r3 = relax.split %x {indices = array<i64: 2, 5, 5>, axis = 0 : i64} : (!relax.tensor<[10], f32>) -> (!relax.tensor<[2], f32>, !relax.tensor<[3], f32>, !relax.tensor<[0], f32>, !relax.tensor<[5], f32>){{$}}
relax.func @indices(%x: !relax.tensor<[10], f32>) -> !relax.object {
  %r0, %r1, %r2, %r3 = relax.split %x {indices = array<i64: 2, 5, 5>, axis = 0 : i64} : (!relax.tensor<[10], f32>) -> (!relax.tensor<[2], f32>, !relax.tensor<[3], f32>, !relax.tensor<[0], f32>, !relax.tensor<[5], f32>)
  relax.return %r0 : !relax.tensor<[2], f32>
}

// CHECK-LABEL: relax.func @indices_beyond(
// CHECK-NEXT: %r0, %r1, %r2 = relax.split %x {indices = array<i64: 3, 9>, axis = 0 : i64} : (!relax.tensor<[4], f32>) -> (!relax.tensor<[3], f32>, !relax.tensor<[1], f32>, !relax.tensor<[0], f32>){{$}}
relax.func @indices_beyond(%x: !relax.tensor<[4], f32>) -> !relax.object {
  %r0, %r1, %r2 = relax.split %x {indices = array<i64: 3, 9>, axis = 0 : i64} : (!relax.tensor<[4], f32>) -> (!relax.tensor<[3], f32>, !relax.tensor<[1], f32>, !relax.tensor<[0], f32>)
  relax.return %r0 : !relax.tensor<[3], f32>
}

// CHECK-LABEL: relax.func @indices_symbolic(
// CHECK-NEXT: %r0, %r1 = relax.split %x {indices = array<i64: 2>, axis = 0 : i64} : (!relax.tensor<[n, m], f32>) -> (!relax.tensor<[min(n, 2), m], f32>, !relax.tensor<[-min(n, 2) + n, m], f32>){{$}}
relax.func @indices_symbolic(%x: !relax.tensor<[n, m], f32>) -> !relax.object {
  %r0, %r1 = relax.split %x {indices = array<i64: 2>, axis = 0 : i64} : (!relax.tensor<[n, m], f32>) -> (!relax.tensor<[min(n, 2), m], f32>, !relax.tensor<[-min(n, 2) + n, m], f32>)
  relax.return %r0 : !relax.tensor<[min(n, 2), m], f32>
}

// CHECK-LABEL: relax.func @one(
// CHECK-NEXT: %r = relax.split %x {sections = 1 : i64, axis = 0 : i64} : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>{{$}}
relax.func @one(%x: !relax.tensor<[n], f32>) -> !relax.object {
  %r = relax.split %x {sections = 1 : i64, axis = 0 : i64} : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  relax.return %r : !relax.tensor<[n], f32>
}

// CHECK-LABEL: relax.func @unknown_dim(
// CHECK-NEXT: %r0, %r1 = relax.split %x {sections = 2 : i64, axis = 0 : i64} : (!relax.tensor<[?, 4]>) -> (!relax.tensor<[?, 4]>, !relax.tensor<[?, 4]>){{$}}
relax.func @unknown_dim(%x: !relax.tensor<[?, 4]>) -> !relax.object {
  %r0, %r1 = relax.split %x {sections = 2 : i64, axis = 0 : i64} : (!relax.tensor<[?, 4]>) -> (!relax.tensor<[?, 4]>, !relax.tensor<[?, 4]>)
  relax.return %r0 : !relax.tensor<[?, 4]>
}

// CHECK-LABEL: relax.func @unknown_rank(
// CHECK-NEXT: %r0, %r1 = relax.split %x {indices = array<i64: 1>, axis = 0 : i64} : (!relax.tensor<*, f32>) -> (!relax.tensor<*, f32>, !relax.tensor<*, f32>){{$}}
relax.func @unknown_rank(%x: !relax.tensor<*, f32>) -> !relax.object {
  %r0, %r1 = relax.split %x {indices = array<i64: 1>, axis = 0 : i64} : (!relax.tensor<*, f32>) -> (!relax.tensor<*, f32>, !relax.tensor<*, f32>)
  relax.return %r0 : !relax.tensor<*, f32>
}

// CHECK-LABEL: relax.func @decreasing(
// CHECK-NEXT: %r0, %r1, %r2 = relax.split %x {indices = array<i64: 4, 1>, axis = 0 : i64} : (!relax.tensor<[6, n], f32>) -> (!relax.tensor<[4, n], f32>, !relax.tensor<[0, n], f32>, !relax.tensor<[5, n], f32>){{$}}
relax.func @decreasing(%x: !relax.tensor<[6, n], f32>) -> !relax.object {
  %r0, %r1, %r2 = relax.split %x {indices = array<i64: 4, 1>, axis = 0 : i64} : (!relax.tensor<[6, n], f32>) -> (!relax.tensor<[4, n], f32>, !relax.tensor<[0, n], f32>, !relax.tensor<[5, n], f32>)
  relax.return %r0 : !relax.tensor<[4, n], f32>
}
