// RUN: relax-opt %s | relax-opt | filecheck %s
// RUN: relax-opt %s --print-op-generic | relax-opt | filecheck %s
// RUN: relax-opt %s --print-op-generic | filecheck %s --check-prefix GENERIC

// CHECK-LABEL: relax.func @static(
// CHECK-NEXT: %r = relax.broadcast_to %x, %y : (!relax.tensor<[3], f32>, !relax.shape<[2, 3]>) -> !relax.tensor<[2, 3], f32>{{$}}
// GENERIC: %r = "relax.broadcast_to"(%x, %y) : (!relax.tensor<[3], f32>, !relax.shape<[2, 3]>) -> !relax.tensor<[2, 3], f32>{{$}}
relax.func @static(%x: !relax.tensor<[3], f32>, %y: !relax.shape<[2, 3]>) -> !relax.object {
  %r = relax.broadcast_to %x, %y : (!relax.tensor<[3], f32>, !relax.shape<[2, 3]>) -> !relax.tensor<[2, 3], f32>
  relax.return %r : !relax.tensor<[2, 3], f32>
}

// CHECK-LABEL: relax.func @ones(
// CHECK-NEXT: %r = relax.broadcast_to %x, %y : (!relax.tensor<[2, 1], f32>, !relax.shape<[2, 3]>) -> !relax.tensor<[2, 3], f32>{{$}}
// GENERIC: %r = "relax.broadcast_to"(%x, %y) : (!relax.tensor<[2, 1], f32>, !relax.shape<[2, 3]>) -> !relax.tensor<[2, 3], f32>{{$}}
relax.func @ones(%x: !relax.tensor<[2, 1], f32>, %y: !relax.shape<[2, 3]>) -> !relax.object {
  %r = relax.broadcast_to %x, %y : (!relax.tensor<[2, 1], f32>, !relax.shape<[2, 3]>) -> !relax.tensor<[2, 3], f32>
  relax.return %r : !relax.tensor<[2, 3], f32>
}

// CHECK-LABEL: relax.func @scalar(
// CHECK-NEXT: %r = relax.broadcast_to %x, %y : (!relax.tensor<[], f32>, !relax.shape<[n, m]>) -> !relax.tensor<[n, m], f32>{{$}}
// GENERIC: %r = "relax.broadcast_to"(%x, %y) : (!relax.tensor<[], f32>, !relax.shape<[n, m]>) -> !relax.tensor<[n, m], f32>{{$}}
relax.func @scalar(%x: !relax.tensor<[], f32>, %y: !relax.shape<[n, m]>) -> !relax.object {
  %r = relax.broadcast_to %x, %y : (!relax.tensor<[], f32>, !relax.shape<[n, m]>) -> !relax.tensor<[n, m], f32>
  relax.return %r : !relax.tensor<[n, m], f32>
}

// CHECK-LABEL: relax.func @symbolic(
// CHECK-NEXT: %r = relax.broadcast_to %x, %y : (!relax.tensor<[n, 1], f32>, !relax.shape<[m, n, m + 1]>) -> !relax.tensor<[m, n, m + 1], f32>{{$}}
// GENERIC: %r = "relax.broadcast_to"(%x, %y) : (!relax.tensor<[n, 1], f32>, !relax.shape<[m, n, m + 1]>) -> !relax.tensor<[m, n, m + 1], f32>{{$}}
relax.func @symbolic(%x: !relax.tensor<[n, 1], f32>, %y: !relax.shape<[m, n, m + 1]>) -> !relax.object {
  %r = relax.broadcast_to %x, %y : (!relax.tensor<[n, 1], f32>, !relax.shape<[m, n, m + 1]>) -> !relax.tensor<[m, n, m + 1], f32>
  relax.return %r : !relax.tensor<[m, n, m + 1], f32>
}

// CHECK-LABEL: relax.func @to_zero(
// CHECK-NEXT: %r = relax.broadcast_to %x, %y : (!relax.tensor<[1], f32>, !relax.shape<[0]>) -> !relax.tensor<[0], f32>{{$}}
// GENERIC: %r = "relax.broadcast_to"(%x, %y) : (!relax.tensor<[1], f32>, !relax.shape<[0]>) -> !relax.tensor<[0], f32>{{$}}
relax.func @to_zero(%x: !relax.tensor<[1], f32>, %y: !relax.shape<[0]>) -> !relax.object {
  %r = relax.broadcast_to %x, %y : (!relax.tensor<[1], f32>, !relax.shape<[0]>) -> !relax.tensor<[0], f32>
  relax.return %r : !relax.tensor<[0], f32>
}

// CHECK-LABEL: relax.func @same(
// CHECK-NEXT: %r = relax.broadcast_to %x, %y : (!relax.tensor<[n, m], f32>, !relax.shape<[n, m]>) -> !relax.tensor<[n, m], f32>{{$}}
// GENERIC: %r = "relax.broadcast_to"(%x, %y) : (!relax.tensor<[n, m], f32>, !relax.shape<[n, m]>) -> !relax.tensor<[n, m], f32>{{$}}
relax.func @same(%x: !relax.tensor<[n, m], f32>, %y: !relax.shape<[n, m]>) -> !relax.object {
  %r = relax.broadcast_to %x, %y : (!relax.tensor<[n, m], f32>, !relax.shape<[n, m]>) -> !relax.tensor<[n, m], f32>
  relax.return %r : !relax.tensor<[n, m], f32>
}

// CHECK-LABEL: relax.func @unknown_dim(
// CHECK-NEXT: %r = relax.broadcast_to %x, %y : (!relax.tensor<[?, 4], f32>, !relax.shape<[n, 4]>) -> !relax.tensor<[n, 4], f32>{{$}}
// GENERIC: %r = "relax.broadcast_to"(%x, %y) : (!relax.tensor<[?, 4], f32>, !relax.shape<[n, 4]>) -> !relax.tensor<[n, 4], f32>{{$}}
relax.func @unknown_dim(%x: !relax.tensor<[?, 4], f32>, %y: !relax.shape<[n, 4]>) -> !relax.object {
  %r = relax.broadcast_to %x, %y : (!relax.tensor<[?, 4], f32>, !relax.shape<[n, 4]>) -> !relax.tensor<[n, 4], f32>
  relax.return %r : !relax.tensor<[n, 4], f32>
}

// CHECK-LABEL: relax.func @unknown_rank(
// CHECK-NEXT: %r = relax.broadcast_to %x, %y : (!relax.tensor<*, f32>, !relax.shape<[n]>) -> !relax.tensor<[n], f32>{{$}}
// GENERIC: %r = "relax.broadcast_to"(%x, %y) : (!relax.tensor<*, f32>, !relax.shape<[n]>) -> !relax.tensor<[n], f32>{{$}}
relax.func @unknown_rank(%x: !relax.tensor<*, f32>, %y: !relax.shape<[n]>) -> !relax.object {
  %r = relax.broadcast_to %x, %y : (!relax.tensor<*, f32>, !relax.shape<[n]>) -> !relax.tensor<[n], f32>
  relax.return %r : !relax.tensor<[n], f32>
}

// CHECK-LABEL: relax.func @unknown_target(
// CHECK-NEXT: %r = relax.broadcast_to %x, %y : (!relax.tensor<[n], f32>, !relax.shape<*>) -> !relax.tensor<*, f32>{{$}}
// GENERIC: %r = "relax.broadcast_to"(%x, %y) : (!relax.tensor<[n], f32>, !relax.shape<*>) -> !relax.tensor<*, f32>{{$}}
relax.func @unknown_target(%x: !relax.tensor<[n], f32>, %y: !relax.shape<*>) -> !relax.object {
  %r = relax.broadcast_to %x, %y : (!relax.tensor<[n], f32>, !relax.shape<*>) -> !relax.tensor<*, f32>
  relax.return %r : !relax.tensor<*, f32>
}

// CHECK-LABEL: relax.func @unknown_dtype(
// CHECK-NEXT: %r = relax.broadcast_to %x, %y : (!relax.tensor<[1]>, !relax.shape<[n]>) -> !relax.tensor<[n]>{{$}}
// GENERIC: %r = "relax.broadcast_to"(%x, %y) : (!relax.tensor<[1]>, !relax.shape<[n]>) -> !relax.tensor<[n]>{{$}}
relax.func @unknown_dtype(%x: !relax.tensor<[1]>, %y: !relax.shape<[n]>) -> !relax.object {
  %r = relax.broadcast_to %x, %y : (!relax.tensor<[1]>, !relax.shape<[n]>) -> !relax.tensor<[n]>
  relax.return %r : !relax.tensor<[n]>
}

// CHECK-LABEL: relax.func @wider(
// CHECK-NEXT: %r = relax.broadcast_to %x, %y : (!relax.tensor<[1], f32>, !relax.shape<[n]>) -> !relax.tensor<[?], f32>{{$}}
// GENERIC: %r = "relax.broadcast_to"(%x, %y) : (!relax.tensor<[1], f32>, !relax.shape<[n]>) -> !relax.tensor<[?], f32>{{$}}
relax.func @wider(%x: !relax.tensor<[1], f32>, %y: !relax.shape<[n]>) -> !relax.object {
  %r = relax.broadcast_to %x, %y : (!relax.tensor<[1], f32>, !relax.shape<[n]>) -> !relax.tensor<[?], f32>
  relax.return %r : !relax.tensor<[?], f32>
}

// CHECK-LABEL: relax.func @to_be_checked(
// CHECK-NEXT: %r = relax.broadcast_to %x, %y : (!relax.tensor<[n], f32>, !relax.shape<[m]>) -> !relax.tensor<[m], f32>{{$}}
// GENERIC: %r = "relax.broadcast_to"(%x, %y) : (!relax.tensor<[n], f32>, !relax.shape<[m]>) -> !relax.tensor<[m], f32>{{$}}
relax.func @to_be_checked(%x: !relax.tensor<[n], f32>, %y: !relax.shape<[m]>) -> !relax.object {
  %r = relax.broadcast_to %x, %y : (!relax.tensor<[n], f32>, !relax.shape<[m]>) -> !relax.tensor<[m], f32>
  relax.return %r : !relax.tensor<[m], f32>
}
