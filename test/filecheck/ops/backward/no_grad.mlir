// RUN: relax-opt %s | relax-opt | filecheck %s
// RUN: relax-opt %s --print-op-generic | relax-opt | filecheck %s
// RUN: relax-opt %s --print-op-generic | filecheck %s --check-prefix GENERIC

// CHECK-LABEL: relax.func @floats(
// CHECK-NEXT: %r = relax.no_grad %x : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4], f32>{{$}}
// GENERIC: %r = "relax.no_grad"(%x) : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4], f32>{{$}}
relax.func @floats(%x: !relax.tensor<[n, 4], f32>) -> !relax.object {
  %r = relax.no_grad %x : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4], f32>
  relax.return %r : !relax.tensor<[n, 4], f32>
}

// CHECK-LABEL: relax.func @integers(
// CHECK-NEXT: %r = relax.no_grad %x : (!relax.tensor<[2, m], i64>) -> !relax.tensor<[2, m], i64>{{$}}
// GENERIC: %r = "relax.no_grad"(%x) : (!relax.tensor<[2, m], i64>) -> !relax.tensor<[2, m], i64>{{$}}
relax.func @integers(%x: !relax.tensor<[2, m], i64>) -> !relax.object {
  %r = relax.no_grad %x : (!relax.tensor<[2, m], i64>) -> !relax.tensor<[2, m], i64>
  relax.return %r : !relax.tensor<[2, m], i64>
}

// CHECK-LABEL: relax.func @unknown_rank(
// CHECK-NEXT: %r = relax.no_grad %x : (!relax.tensor<*, f32>) -> !relax.tensor<*, f32>{{$}}
// GENERIC: %r = "relax.no_grad"(%x) : (!relax.tensor<*, f32>) -> !relax.tensor<*, f32>{{$}}
relax.func @unknown_rank(%x: !relax.tensor<*, f32>) -> !relax.object {
  %r = relax.no_grad %x : (!relax.tensor<*, f32>) -> !relax.tensor<*, f32>
  relax.return %r : !relax.tensor<*, f32>
}

// CHECK-LABEL: relax.func @unknown_dtype(
// CHECK-NEXT: %r = relax.no_grad %x : (!relax.tensor<[2, 3]>) -> !relax.tensor<[2, 3]>{{$}}
// GENERIC: %r = "relax.no_grad"(%x) : (!relax.tensor<[2, 3]>) -> !relax.tensor<[2, 3]>{{$}}
relax.func @unknown_dtype(%x: !relax.tensor<[2, 3]>) -> !relax.object {
  %r = relax.no_grad %x : (!relax.tensor<[2, 3]>) -> !relax.tensor<[2, 3]>
  relax.return %r : !relax.tensor<[2, 3]>
}
