// RUN: relax-opt %s | relax-opt | filecheck %s
// RUN: relax-opt %s --print-op-generic | relax-opt | filecheck %s
// RUN: relax-opt %s --print-op-generic | filecheck %s --check-prefix GENERIC

// CHECK-LABEL: relax.func @static(
// CHECK-NEXT: %r = relax.relu %x : (!relax.tensor<[2, 3], f32>) -> !relax.tensor<[2, 3], f32>{{$}}
// GENERIC: %r = "relax.relu"(%x) : (!relax.tensor<[2, 3], f32>) -> !relax.tensor<[2, 3], f32>{{$}}
relax.func @static(%x: !relax.tensor<[2, 3], f32>) -> !relax.object {
  %r = relax.relu %x : (!relax.tensor<[2, 3], f32>) -> !relax.tensor<[2, 3], f32>
  relax.return %r : !relax.tensor<[2, 3], f32>
}

// CHECK-LABEL: relax.func @scalar(
// CHECK-NEXT: %r = relax.relu %x : (!relax.tensor<[], f64>) -> !relax.tensor<[], f64>{{$}}
// GENERIC: %r = "relax.relu"(%x) : (!relax.tensor<[], f64>) -> !relax.tensor<[], f64>{{$}}
relax.func @scalar(%x: !relax.tensor<[], f64>) -> !relax.object {
  %r = relax.relu %x : (!relax.tensor<[], f64>) -> !relax.tensor<[], f64>
  relax.return %r : !relax.tensor<[], f64>
}

// CHECK-LABEL: relax.func @empty(
// CHECK-NEXT: %r = relax.relu %x : (!relax.tensor<[0], f32>) -> !relax.tensor<[0], f32>{{$}}
// GENERIC: %r = "relax.relu"(%x) : (!relax.tensor<[0], f32>) -> !relax.tensor<[0], f32>{{$}}
relax.func @empty(%x: !relax.tensor<[0], f32>) -> !relax.object {
  %r = relax.relu %x : (!relax.tensor<[0], f32>) -> !relax.tensor<[0], f32>
  relax.return %r : !relax.tensor<[0], f32>
}

// CHECK-LABEL: relax.func @symbolic(
// CHECK-NEXT: %r = relax.relu %x : (!relax.tensor<[n, 2 * m, n mod 4, m], f32>) -> !relax.tensor<[n, 2 * m, n mod 4, m], f32>{{$}}
// GENERIC: %r = "relax.relu"(%x) : (!relax.tensor<[n, 2 * m, n mod 4, m], f32>) -> !relax.tensor<[n, 2 * m, n mod 4, m], f32>{{$}}
relax.func @symbolic(%x: !relax.tensor<[n, 2 * m, n mod 4, m], f32>) -> !relax.object {
  %r = relax.relu %x : (!relax.tensor<[n, 2 * m, n mod 4, m], f32>) -> !relax.tensor<[n, 2 * m, n mod 4, m], f32>
  relax.return %r : !relax.tensor<[n, 2 * m, n mod 4, m], f32>
}

// CHECK-LABEL: relax.func @unknown_dim(
// CHECK-NEXT: %r = relax.relu %x : (!relax.tensor<[?, 4], f32>) -> !relax.tensor<[?, 4], f32>{{$}}
// GENERIC: %r = "relax.relu"(%x) : (!relax.tensor<[?, 4], f32>) -> !relax.tensor<[?, 4], f32>{{$}}
relax.func @unknown_dim(%x: !relax.tensor<[?, 4], f32>) -> !relax.object {
  %r = relax.relu %x : (!relax.tensor<[?, 4], f32>) -> !relax.tensor<[?, 4], f32>
  relax.return %r : !relax.tensor<[?, 4], f32>
}

// CHECK-LABEL: relax.func @unknown_rank(
// CHECK-NEXT: %r = relax.relu %x : (!relax.tensor<*, f16>) -> !relax.tensor<*, f16>{{$}}
// GENERIC: %r = "relax.relu"(%x) : (!relax.tensor<*, f16>) -> !relax.tensor<*, f16>{{$}}
relax.func @unknown_rank(%x: !relax.tensor<*, f16>) -> !relax.object {
  %r = relax.relu %x : (!relax.tensor<*, f16>) -> !relax.tensor<*, f16>
  relax.return %r : !relax.tensor<*, f16>
}

// CHECK-LABEL: relax.func @unknown_dtype(
// CHECK-NEXT: %r = relax.relu %x : (!relax.tensor<[n]>) -> !relax.tensor<[n]>{{$}}
// GENERIC: %r = "relax.relu"(%x) : (!relax.tensor<[n]>) -> !relax.tensor<[n]>{{$}}
relax.func @unknown_dtype(%x: !relax.tensor<[n]>) -> !relax.object {
  %r = relax.relu %x : (!relax.tensor<[n]>) -> !relax.tensor<[n]>
  relax.return %r : !relax.tensor<[n]>
}

// CHECK-LABEL: relax.func @unknown(
// CHECK-NEXT: %r = relax.relu %x : (!relax.tensor<*>) -> !relax.tensor<*>{{$}}
// GENERIC: %r = "relax.relu"(%x) : (!relax.tensor<*>) -> !relax.tensor<*>{{$}}
relax.func @unknown(%x: !relax.tensor<*>) -> !relax.object {
  %r = relax.relu %x : (!relax.tensor<*>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK-LABEL: relax.func @wider(
// CHECK-NEXT: %r = relax.relu %x : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[?, 4], f32>{{$}}
// GENERIC: %r = "relax.relu"(%x) : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[?, 4], f32>{{$}}
relax.func @wider(%x: !relax.tensor<[n, 4], f32>) -> !relax.object {
  %r = relax.relu %x : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[?, 4], f32>
  relax.return %r : !relax.tensor<[?, 4], f32>
}

// CHECK-LABEL: relax.func @wider_dtype(
// CHECK-NEXT: %r = relax.relu %x : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4]>{{$}}
// GENERIC: %r = "relax.relu"(%x) : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4]>{{$}}
relax.func @wider_dtype(%x: !relax.tensor<[n, 4], f32>) -> !relax.object {
  %r = relax.relu %x : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4]>
  relax.return %r : !relax.tensor<[n, 4]>
}

// CHECK-LABEL: relax.func @wider_rank(
// CHECK-NEXT: %r = relax.relu %x : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<*, f32>{{$}}
// GENERIC: %r = "relax.relu"(%x) : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<*, f32>{{$}}
relax.func @wider_rank(%x: !relax.tensor<[n, 4], f32>) -> !relax.object {
  %r = relax.relu %x : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<*, f32>
  relax.return %r : !relax.tensor<*, f32>
}

// CHECK-LABEL: relax.func @integers(
// CHECK-NEXT: %r = relax.relu %x : (!relax.tensor<[n], i64>) -> !relax.tensor<[n], i64>{{$}}
// GENERIC: %r = "relax.relu"(%x) : (!relax.tensor<[n], i64>) -> !relax.tensor<[n], i64>{{$}}
relax.func @integers(%x: !relax.tensor<[n], i64>) -> !relax.object {
  %r = relax.relu %x : (!relax.tensor<[n], i64>) -> !relax.tensor<[n], i64>
  relax.return %r : !relax.tensor<[n], i64>
}
