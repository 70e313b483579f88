// RUN: relax-opt %s | relax-opt | filecheck %s
// RUN: relax-opt %s --print-op-generic | relax-opt | filecheck %s
// RUN: relax-opt %s --print-op-generic | filecheck %s --check-prefix GENERIC

// CHECK-LABEL: relax.func @static(
// CHECK-NEXT: %r = relax.reshape %x, %y : (!relax.tensor<[2, 6], f32>, !relax.shape<[3, 4]>) -> !relax.tensor<[3, 4], f32>{{$}}
// GENERIC: %r = "relax.reshape"(%x, %y) : (!relax.tensor<[2, 6], f32>, !relax.shape<[3, 4]>) -> !relax.tensor<[3, 4], f32>{{$}}
relax.func @static(%x: !relax.tensor<[2, 6], f32>, %y: !relax.shape<[3, 4]>) -> !relax.object {
  %r = relax.reshape %x, %y : (!relax.tensor<[2, 6], f32>, !relax.shape<[3, 4]>) -> !relax.tensor<[3, 4], f32>
  relax.return %r : !relax.tensor<[3, 4], f32>
}

// CHECK-LABEL: relax.func @symbolic(
// CHECK-NEXT: %r = relax.reshape %x, %y : (!relax.tensor<[n, m], f32>, !relax.shape<[m * n]>) -> !relax.tensor<[m * n], f32>{{$}}
// GENERIC: %r = "relax.reshape"(%x, %y) : (!relax.tensor<[n, m], f32>, !relax.shape<[m * n]>) -> !relax.tensor<[m * n], f32>{{$}}
relax.func @symbolic(%x: !relax.tensor<[n, m], f32>, %y: !relax.shape<[m * n]>) -> !relax.object {
  %r = relax.reshape %x, %y : (!relax.tensor<[n, m], f32>, !relax.shape<[m * n]>) -> !relax.tensor<[m * n], f32>
  relax.return %r : !relax.tensor<[m * n], f32>
}

// CHECK-LABEL: relax.func @split(
// CHECK-NEXT: %r = relax.reshape %x, %y : (!relax.tensor<[4 * n], f32>, !relax.shape<[n, 4]>) -> !relax.tensor<[n, 4], f32>{{$}}
// GENERIC: %r = "relax.reshape"(%x, %y) : (!relax.tensor<[4 * n], f32>, !relax.shape<[n, 4]>) -> !relax.tensor<[n, 4], f32>{{$}}
relax.func @split(%x: !relax.tensor<[4 * n], f32>, %y: !relax.shape<[n, 4]>) -> !relax.object {
  %r = relax.reshape %x, %y : (!relax.tensor<[4 * n], f32>, !relax.shape<[n, 4]>) -> !relax.tensor<[n, 4], f32>
  relax.return %r : !relax.tensor<[n, 4], f32>
}

// CHECK-LABEL: relax.func @to_be_checked(
// CHECK-NEXT: %r = relax.reshape %x, %y : (!relax.tensor<[n], f32>, !relax.shape<[m]>) -> !relax.tensor<[m], f32>{{$}}
// GENERIC: %r = "relax.reshape"(%x, %y) : (!relax.tensor<[n], f32>, !relax.shape<[m]>) -> !relax.tensor<[m], f32>{{$}}
relax.func @to_be_checked(%x: !relax.tensor<[n], f32>, %y: !relax.shape<[m]>) -> !relax.object {
  %r = relax.reshape %x, %y : (!relax.tensor<[n], f32>, !relax.shape<[m]>) -> !relax.tensor<[m], f32>
  relax.return %r : !relax.tensor<[m], f32>
}

// CHECK-LABEL: relax.func @halves(
// CHECK-NEXT: %r = relax.reshape %x, %y : (!relax.tensor<[n], f32>, !relax.shape<[2, n floordiv 2, m]>) -> !relax.tensor<[2, n floordiv 2, m], f32>{{$}}
// GENERIC: %r = "relax.reshape"(%x, %y) : (!relax.tensor<[n], f32>, !relax.shape<[2, n floordiv 2, m]>) -> !relax.tensor<[2, n floordiv 2, m], f32>{{$}}
relax.func @halves(%x: !relax.tensor<[n], f32>, %y: !relax.shape<[2, n floordiv 2, m]>) -> !relax.object {
  %r = relax.reshape %x, %y : (!relax.tensor<[n], f32>, !relax.shape<[2, n floordiv 2, m]>) -> !relax.tensor<[2, n floordiv 2, m], f32>
  relax.return %r : !relax.tensor<[2, n floordiv 2, m], f32>
}

// CHECK-LABEL: relax.func @scalar(
// CHECK-NEXT: %r = relax.reshape %x, %y : (!relax.tensor<[1, 1], f32>, !relax.shape<[]>) -> !relax.tensor<[], f32>{{$}}
// GENERIC: %r = "relax.reshape"(%x, %y) : (!relax.tensor<[1, 1], f32>, !relax.shape<[]>) -> !relax.tensor<[], f32>{{$}}
relax.func @scalar(%x: !relax.tensor<[1, 1], f32>, %y: !relax.shape<[]>) -> !relax.object {
  %r = relax.reshape %x, %y : (!relax.tensor<[1, 1], f32>, !relax.shape<[]>) -> !relax.tensor<[], f32>
  relax.return %r : !relax.tensor<[], f32>
}

// CHECK-LABEL: relax.func @empty(
// CHECK-NEXT: %r = relax.reshape %x, %y : (!relax.tensor<[0, n], f32>, !relax.shape<[0]>) -> !relax.tensor<[0], f32>{{$}}
// GENERIC: %r = "relax.reshape"(%x, %y) : (!relax.tensor<[0, n], f32>, !relax.shape<[0]>) -> !relax.tensor<[0], f32>{{$}}
relax.func @empty(%x: !relax.tensor<[0, n], f32>, %y: !relax.shape<[0]>) -> !relax.object {
  %r = relax.reshape %x, %y : (!relax.tensor<[0, n], f32>, !relax.shape<[0]>) -> !relax.tensor<[0], f32>
  relax.return %r : !relax.tensor<[0], f32>
}

// CHECK-LABEL: relax.func @unknown_dim(
// CHECK-NEXT: %r = relax.reshape %x, %y : (!relax.tensor<[?, 4], f32>, !relax.shape<[n, 4]>) -> !relax.tensor<[n, 4], f32>{{$}}
// GENERIC: %r = "relax.reshape"(%x, %y) : (!relax.tensor<[?, 4], f32>, !relax.shape<[n, 4]>) -> !relax.tensor<[n, 4], f32>{{$}}
relax.func @unknown_dim(%x: !relax.tensor<[?, 4], f32>, %y: !relax.shape<[n, 4]>) -> !relax.object {
  %r = relax.reshape %x, %y : (!relax.tensor<[?, 4], f32>, !relax.shape<[n, 4]>) -> !relax.tensor<[n, 4], f32>
  relax.return %r : !relax.tensor<[n, 4], f32>
}

// CHECK-LABEL: relax.func @unknown_rank(
// CHECK-NEXT: %r = relax.reshape %x, %y : (!relax.tensor<*, f32>, !relax.shape<[n, 4]>) -> !relax.tensor<[n, 4], f32>{{$}}
// GENERIC: %r = "relax.reshape"(%x, %y) : (!relax.tensor<*, f32>, !relax.shape<[n, 4]>) -> !relax.tensor<[n, 4], f32>{{$}}
relax.func @unknown_rank(%x: !relax.tensor<*, f32>, %y: !relax.shape<[n, 4]>) -> !relax.object {
  %r = relax.reshape %x, %y : (!relax.tensor<*, f32>, !relax.shape<[n, 4]>) -> !relax.tensor<[n, 4], f32>
  relax.return %r : !relax.tensor<[n, 4], f32>
}

// CHECK-LABEL: relax.func @unknown_target(
// CHECK-NEXT: %r = relax.reshape %x, %y : (!relax.tensor<[n, 4], f32>, !relax.shape<*>) -> !relax.tensor<*, f32>{{$}}
// GENERIC: %r = "relax.reshape"(%x, %y) : (!relax.tensor<[n, 4], f32>, !relax.shape<*>) -> !relax.tensor<*, f32>{{$}}
relax.func @unknown_target(%x: !relax.tensor<[n, 4], f32>, %y: !relax.shape<*>) -> !relax.object {
  %r = relax.reshape %x, %y : (!relax.tensor<[n, 4], f32>, !relax.shape<*>) -> !relax.tensor<*, f32>
  relax.return %r : !relax.tensor<*, f32>
}

// CHECK-LABEL: relax.func @unknown_target_dim(
// CHECK-NEXT: %r = relax.reshape %x, %y : (!relax.tensor<[n, 4], f32>, !relax.shape<[?, 2]>) -> !relax.tensor<[?, 2], f32>{{$}}
// GENERIC: %r = "relax.reshape"(%x, %y) : (!relax.tensor<[n, 4], f32>, !relax.shape<[?, 2]>) -> !relax.tensor<[?, 2], f32>{{$}}
relax.func @unknown_target_dim(%x: !relax.tensor<[n, 4], f32>, %y: !relax.shape<[?, 2]>) -> !relax.object {
  %r = relax.reshape %x, %y : (!relax.tensor<[n, 4], f32>, !relax.shape<[?, 2]>) -> !relax.tensor<[?, 2], f32>
  relax.return %r : !relax.tensor<[?, 2], f32>
}

// CHECK-LABEL: relax.func @unknown_dtype(
// CHECK-NEXT: %r = relax.reshape %x, %y : (!relax.tensor<[n]>, !relax.shape<[n, 1]>) -> !relax.tensor<[n, 1]>{{$}}
// GENERIC: %r = "relax.reshape"(%x, %y) : (!relax.tensor<[n]>, !relax.shape<[n, 1]>) -> !relax.tensor<[n, 1]>{{$}}
relax.func @unknown_dtype(%x: !relax.tensor<[n]>, %y: !relax.shape<[n, 1]>) -> !relax.object {
  %r = relax.reshape %x, %y : (!relax.tensor<[n]>, !relax.shape<[n, 1]>) -> !relax.tensor<[n, 1]>
  relax.return %r : !relax.tensor<[n, 1]>
}

// CHECK-LABEL: relax.func @wider(
// CHECK-NEXT: %r = relax.reshape %x, %y : (!relax.tensor<[n], f32>, !relax.shape<[n, 1]>) -> !relax.tensor<[n, ?], f32>{{$}}
// GENERIC: %r = "relax.reshape"(%x, %y) : (!relax.tensor<[n], f32>, !relax.shape<[n, 1]>) -> !relax.tensor<[n, ?], f32>{{$}}
relax.func @wider(%x: !relax.tensor<[n], f32>, %y: !relax.shape<[n, 1]>) -> !relax.object {
  %r = relax.reshape %x, %y : (!relax.tensor<[n], f32>, !relax.shape<[n, 1]>) -> !relax.tensor<[n, ?], f32>
  relax.return %r : !relax.tensor<[n, ?], f32>
}
