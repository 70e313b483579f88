// RUN: relax-opt %s | relax-opt | filecheck %s
// RUN: relax-opt %s --print-op-generic | relax-opt | filecheck %s
// RUN: relax-opt %s --print-op-generic | filecheck %s --check-prefix GENERIC

// CHECK-LABEL: relax.func @static(
// CHECK-NEXT: %r = relax.matmul %x, %y : (!relax.tensor<[2, 3], f32>, !relax.tensor<[3, 4], f32>) -> !relax.tensor<[2, 4], f32>{{$}}
// GENERIC: %r = "relax.matmul"(%x, %y) : (!relax.tensor<[2, 3], f32>, !relax.tensor<[3, 4], f32>) -> !relax.tensor<[2, 4], f32>{{$}}
relax.func @static(%x: !relax.tensor<[2, 3], f32>, %y: !relax.tensor<[3, 4], f32>) -> !relax.object {
  %r = relax.matmul %x, %y : (!relax.tensor<[2, 3], f32>, !relax.tensor<[3, 4], f32>) -> !relax.tensor<[2, 4], f32>
  relax.return %r : !relax.tensor<[2, 4], f32>
}

// CHECK-LABEL: relax.func @symbolic(
// CHECK-NEXT: %r = relax.matmul %x, %y : (!relax.tensor<[n, k], f32>, !relax.tensor<[k, m], f32>) -> !relax.tensor<[n, m], f32>{{$}}
// GENERIC: %r = "relax.matmul"(%x, %y) : (!relax.tensor<[n, k], f32>, !relax.tensor<[k, m], f32>) -> !relax.tensor<[n, m], f32>{{$}}
relax.func @symbolic(%x: !relax.tensor<[n, k], f32>, %y: !relax.tensor<[k, m], f32>) -> !relax.object {
  %r = relax.matmul %x, %y : (!relax.tensor<[n, k], f32>, !relax.tensor<[k, m], f32>) -> !relax.tensor<[n, m], f32>
  relax.return %r : !relax.tensor<[n, m], f32>
}

// CHECK-LABEL: relax.func @inner_sizes_to_be_checked(
// CHECK-NEXT: %r = relax.matmul %x, %y : (!relax.tensor<[n, k], f32>, !relax.tensor<[l, m], f32>) -> !relax.tensor<[n, m], f32>{{$}}
// GENERIC: %r = "relax.matmul"(%x, %y) : (!relax.tensor<[n, k], f32>, !relax.tensor<[l, m], f32>) -> !relax.tensor<[n, m], f32>{{$}}
relax.func @inner_sizes_to_be_checked(%x: !relax.tensor<[n, k], f32>, %y: !relax.tensor<[l, m], f32>) -> !relax.object {
  %r = relax.matmul %x, %y : (!relax.tensor<[n, k], f32>, !relax.tensor<[l, m], f32>) -> !relax.tensor<[n, m], f32>
  relax.return %r : !relax.tensor<[n, m], f32>
}

// CHECK-LABEL: relax.func @compound(
// CHECK-NEXT: %r = relax.matmul %x, %y : (!relax.tensor<[n, 2 * k], f32>, !relax.tensor<[2 * k, m + 1], f32>) -> !relax.tensor<[n, m + 1], f32>{{$}}
// GENERIC: %r = "relax.matmul"(%x, %y) : (!relax.tensor<[n, 2 * k], f32>, !relax.tensor<[2 * k, m + 1], f32>) -> !relax.tensor<[n, m + 1], f32>{{$}}
relax.func @compound(%x: !relax.tensor<[n, 2 * k], f32>, %y: !relax.tensor<[2 * k, m + 1], f32>, %s: !relax.shape<[k, m]>) -> !relax.object {
  %r = relax.matmul %x, %y : (!relax.tensor<[n, 2 * k], f32>, !relax.tensor<[2 * k, m + 1], f32>) -> !relax.tensor<[n, m + 1], f32>
  relax.return %r : !relax.tensor<[n, m + 1], f32>
}

// CHECK-LABEL: relax.func @vectors(
// CHECK-NEXT: %r = relax.matmul %x, %y : (!relax.tensor<[k], f32>, !relax.tensor<[k], f32>) -> !relax.tensor<[], f32>{{$}}
// GENERIC: %r = "relax.matmul"(%x, %y) : (!relax.tensor<[k], f32>, !relax.tensor<[k], f32>) -> !relax.tensor<[], f32>{{$}}
relax.func @vectors(%x: !relax.tensor<[k], f32>, %y: !relax.tensor<[k], f32>) -> !relax.object {
  %r = relax.matmul %x, %y : (!relax.tensor<[k], f32>, !relax.tensor<[k], f32>) -> !relax.tensor<[], f32>
  relax.return %r : !relax.tensor<[], f32>
}

// CHECK-LABEL: relax.func @row(
// CHECK-NEXT: %r = relax.matmul %x, %y : (!relax.tensor<[k], f32>, !relax.tensor<[k, m], f32>) -> !relax.tensor<[m], f32>{{$}}
// GENERIC: %r = "relax.matmul"(%x, %y) : (!relax.tensor<[k], f32>, !relax.tensor<[k, m], f32>) -> !relax.tensor<[m], f32>{{$}}
relax.func @row(%x: !relax.tensor<[k], f32>, %y: !relax.tensor<[k, m], f32>) -> !relax.object {
  %r = relax.matmul %x, %y : (!relax.tensor<[k], f32>, !relax.tensor<[k, m], f32>) -> !relax.tensor<[m], f32>
  relax.return %r : !relax.tensor<[m], f32>
}

// CHECK-LABEL: relax.func @column(
// CHECK-NEXT: %r = relax.matmul %x, %y : (!relax.tensor<[n, k], f32>, !relax.tensor<[k], f32>) -> !relax.tensor<[n], f32>{{$}}
// GENERIC: %r = "relax.matmul"(%x, %y) : (!relax.tensor<[n, k], f32>, !relax.tensor<[k], f32>) -> !relax.tensor<[n], f32>{{$}}
relax.func @column(%x: !relax.tensor<[n, k], f32>, %y: !relax.tensor<[k], f32>) -> !relax.object {
  %r = relax.matmul %x, %y : (!relax.tensor<[n, k], f32>, !relax.tensor<[k], f32>) -> !relax.tensor<[n], f32>
  relax.return %r : !relax.tensor<[n], f32>
}

// CHECK-LABEL: relax.func @row_batch(
// CHECK-NEXT: %r = relax.matmul %x, %y : (!relax.tensor<[k], f32>, !relax.tensor<[b, k, m], f32>) -> !relax.tensor<[b, m], f32>{{$}}
// GENERIC: %r = "relax.matmul"(%x, %y) : (!relax.tensor<[k], f32>, !relax.tensor<[b, k, m], f32>) -> !relax.tensor<[b, m], f32>{{$}}
relax.func @row_batch(%x: !relax.tensor<[k], f32>, %y: !relax.tensor<[b, k, m], f32>) -> !relax.object {
  %r = relax.matmul %x, %y : (!relax.tensor<[k], f32>, !relax.tensor<[b, k, m], f32>) -> !relax.tensor<[b, m], f32>
  relax.return %r : !relax.tensor<[b, m], f32>
}

// CHECK-LABEL: relax.func @column_batch(
// CHECK-NEXT: %r = relax.matmul %x, %y : (!relax.tensor<[b, n, k], f32>, !relax.tensor<[k], f32>) -> !relax.tensor<[b, n], f32>{{$}}
// GENERIC: %r = "relax.matmul"(%x, %y) : (!relax.tensor<[b, n, k], f32>, !relax.tensor<[k], f32>) -> !relax.tensor<[b, n], f32>{{$}}
relax.func @column_batch(%x: !relax.tensor<[b, n, k], f32>, %y: !relax.tensor<[k], f32>) -> !relax.object {
  %r = relax.matmul %x, %y : (!relax.tensor<[b, n, k], f32>, !relax.tensor<[k], f32>) -> !relax.tensor<[b, n], f32>
  relax.return %r : !relax.tensor<[b, n], f32>
}

// CHECK-LABEL: relax.func @batch(
// CHECK-NEXT: %r = relax.matmul %x, %y : (!relax.tensor<[b, n, k], f32>, !relax.tensor<[b, k, m], f32>) -> !relax.tensor<[b, n, m], f32>{{$}}
// GENERIC: %r = "relax.matmul"(%x, %y) : (!relax.tensor<[b, n, k], f32>, !relax.tensor<[b, k, m], f32>) -> !relax.tensor<[b, n, m], f32>{{$}}
relax.func @batch(%x: !relax.tensor<[b, n, k], f32>, %y: !relax.tensor<[b, k, m], f32>) -> !relax.object {
  %r = relax.matmul %x, %y : (!relax.tensor<[b, n, k], f32>, !relax.tensor<[b, k, m], f32>) -> !relax.tensor<[b, n, m], f32>
  relax.return %r : !relax.tensor<[b, n, m], f32>
}

// CHECK-LABEL: relax.func @batch_broadcast(
// CHECK-NEXT: %r = relax.matmul %x, %y : (!relax.tensor<[a, 1, n, k], f32>, !relax.tensor<[b, k, m], f32>) -> !relax.tensor<[a, b, n, m], f32>{{$}}
// GENERIC: %r = "relax.matmul"(%x, %y) : (!relax.tensor<[a, 1, n, k], f32>, !relax.tensor<[b, k, m], f32>) -> !relax.tensor<[a, b, n, m], f32>{{$}}
relax.func @batch_broadcast(%x: !relax.tensor<[a, 1, n, k], f32>, %y: !relax.tensor<[b, k, m], f32>) -> !relax.object {
  %r = relax.matmul %x, %y : (!relax.tensor<[a, 1, n, k], f32>, !relax.tensor<[b, k, m], f32>) -> !relax.tensor<[a, b, n, m], f32>
  relax.return %r : !relax.tensor<[a, b, n, m], f32>
}

// CHECK-LABEL: relax.func @batch_of_one_side(
// CHECK-NEXT: %r = relax.matmul %x, %y : (!relax.tensor<[b, n, k], f32>, !relax.tensor<[k, m], f32>) -> !relax.tensor<[b, n, m], f32>{{$}}
// GENERIC: %r = "relax.matmul"(%x, %y) : (!relax.tensor<[b, n, k], f32>, !relax.tensor<[k, m], f32>) -> !relax.tensor<[b, n, m], f32>{{$}}
relax.func @batch_of_one_side(%x: !relax.tensor<[b, n, k], f32>, %y: !relax.tensor<[k, m], f32>) -> !relax.object {
  %r = relax.matmul %x, %y : (!relax.tensor<[b, n, k], f32>, !relax.tensor<[k, m], f32>) -> !relax.tensor<[b, n, m], f32>
  relax.return %r : !relax.tensor<[b, n, m], f32>
}

// CHECK-LABEL: relax.func @batches_that_may_be_one(
// CHECK-NEXT: %r = relax.matmul %x, %y : (!relax.tensor<[a, n, k], f32>, !relax.tensor<[b, k, m], f32>) -> !relax.tensor<[broadcast(a, b), n, m], f32>{{$}}
// GENERIC: %r = "relax.matmul"(%x, %y) : (!relax.tensor<[a, n, k], f32>, !relax.tensor<[b, k, m], f32>) -> !relax.tensor<[broadcast(a, b), n, m], f32>{{$}}
relax.func @batches_that_may_be_one(%x: !relax.tensor<[a, n, k], f32>, %y: !relax.tensor<[b, k, m], f32>) -> !relax.object {
  %r = relax.matmul %x, %y : (!relax.tensor<[a, n, k], f32>, !relax.tensor<[b, k, m], f32>) -> !relax.tensor<[broadcast(a, b), n, m], f32>
  relax.return %r : !relax.tensor<[broadcast(a, b), n, m], f32>
}

// CHECK-LABEL: relax.func @zero(
// CHECK-NEXT: %r = relax.matmul %x, %y : (!relax.tensor<[n, 0], f32>, !relax.tensor<[0, m], f32>) -> !relax.tensor<[n, m], f32>{{$}}
// GENERIC: %r = "relax.matmul"(%x, %y) : (!relax.tensor<[n, 0], f32>, !relax.tensor<[0, m], f32>) -> !relax.tensor<[n, m], f32>{{$}}
relax.func @zero(%x: !relax.tensor<[n, 0], f32>, %y: !relax.tensor<[0, m], f32>) -> !relax.object {
  %r = relax.matmul %x, %y : (!relax.tensor<[n, 0], f32>, !relax.tensor<[0, m], f32>) -> !relax.tensor<[n, m], f32>
  relax.return %r : !relax.tensor<[n, m], f32>
}

// CHECK-LABEL: relax.func @integers(
// CHECK-NEXT: %r = relax.matmul %x, %y : (!relax.tensor<[n, k], i32>, !relax.tensor<[k, m], i32>) -> !relax.tensor<[n, m], i32>{{$}}
// GENERIC: %r = "relax.matmul"(%x, %y) : (!relax.tensor<[n, k], i32>, !relax.tensor<[k, m], i32>) -> !relax.tensor<[n, m], i32>{{$}}
relax.func @integers(%x: !relax.tensor<[n, k], i32>, %y: !relax.tensor<[k, m], i32>) -> !relax.object {
  %r = relax.matmul %x, %y : (!relax.tensor<[n, k], i32>, !relax.tensor<[k, m], i32>) -> !relax.tensor<[n, m], i32>
  relax.return %r : !relax.tensor<[n, m], i32>
}

// CHECK-LABEL: relax.func @unknown_dim(
// CHECK-NEXT: %r = relax.matmul %x, %y : (!relax.tensor<[?, ?], f32>, !relax.tensor<[?, m], f32>) -> !relax.tensor<[?, m], f32>{{$}}
// GENERIC: %r = "relax.matmul"(%x, %y) : (!relax.tensor<[?, ?], f32>, !relax.tensor<[?, m], f32>) -> !relax.tensor<[?, m], f32>{{$}}
relax.func @unknown_dim(%x: !relax.tensor<[?, ?], f32>, %y: !relax.tensor<[?, m], f32>) -> !relax.object {
  %r = relax.matmul %x, %y : (!relax.tensor<[?, ?], f32>, !relax.tensor<[?, m], f32>) -> !relax.tensor<[?, m], f32>
  relax.return %r : !relax.tensor<[?, m], f32>
}

// CHECK-LABEL: relax.func @unknown_rank(
// CHECK-NEXT: %r = relax.matmul %x, %y : (!relax.tensor<*, f32>, !relax.tensor<[k, m], f32>) -> !relax.tensor<*, f32>{{$}}
// GENERIC: %r = "relax.matmul"(%x, %y) : (!relax.tensor<*, f32>, !relax.tensor<[k, m], f32>) -> !relax.tensor<*, f32>{{$}}
relax.func @unknown_rank(%x: !relax.tensor<*, f32>, %y: !relax.tensor<[k, m], f32>) -> !relax.object {
  %r = relax.matmul %x, %y : (!relax.tensor<*, f32>, !relax.tensor<[k, m], f32>) -> !relax.tensor<*, f32>
  relax.return %r : !relax.tensor<*, f32>
}

// CHECK-LABEL: relax.func @unknown_dtype(
// CHECK-NEXT: %r = relax.matmul %x, %y : (!relax.tensor<[n, k]>, !relax.tensor<[k, m], f32>) -> !relax.tensor<[n, m]>{{$}}
// GENERIC: %r = "relax.matmul"(%x, %y) : (!relax.tensor<[n, k]>, !relax.tensor<[k, m], f32>) -> !relax.tensor<[n, m]>{{$}}
relax.func @unknown_dtype(%x: !relax.tensor<[n, k]>, %y: !relax.tensor<[k, m], f32>) -> !relax.object {
  %r = relax.matmul %x, %y : (!relax.tensor<[n, k]>, !relax.tensor<[k, m], f32>) -> !relax.tensor<[n, m]>
  relax.return %r : !relax.tensor<[n, m]>
}

// CHECK-LABEL: relax.func @wider(
// CHECK-NEXT: %r = relax.matmul %x, %y : (!relax.tensor<[n, k], f32>, !relax.tensor<[k, m], f32>) -> !relax.tensor<[n, ?], f32>{{$}}
// GENERIC: %r = "relax.matmul"(%x, %y) : (!relax.tensor<[n, k], f32>, !relax.tensor<[k, m], f32>) -> !relax.tensor<[n, ?], f32>{{$}}
relax.func @wider(%x: !relax.tensor<[n, k], f32>, %y: !relax.tensor<[k, m], f32>) -> !relax.object {
  %r = relax.matmul %x, %y : (!relax.tensor<[n, k], f32>, !relax.tensor<[k, m], f32>) -> !relax.tensor<[n, ?], f32>
  relax.return %r : !relax.tensor<[n, ?], f32>
}
