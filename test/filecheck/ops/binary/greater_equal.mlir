// RUN: relax-opt %s | relax-opt | filecheck %s
// RUN: relax-opt %s --print-op-generic | relax-opt | filecheck %s
// RUN: relax-opt %s --print-op-generic | filecheck %s --check-prefix GENERIC

// CHECK-LABEL: relax.func @static(
// CHECK-NEXT: %r = relax.greater_equal %x, %y : (!relax.tensor<[2, 3], f32>, !relax.tensor<[2, 3], f32>) -> !relax.tensor<[2, 3], i1>{{$}}
// GENERIC: %r = "relax.greater_equal"(%x, %y) : (!relax.tensor<[2, 3], f32>, !relax.tensor<[2, 3], f32>) -> !relax.tensor<[2, 3], i1>{{$}}
relax.func @static(%x: !relax.tensor<[2, 3], f32>, %y: !relax.tensor<[2, 3], f32>) -> !relax.object {
  %r = relax.greater_equal %x, %y : (!relax.tensor<[2, 3], f32>, !relax.tensor<[2, 3], f32>) -> !relax.tensor<[2, 3], i1>
  relax.return %r : !relax.tensor<[2, 3], i1>
}

// CHECK-LABEL: relax.func @scalar(
// CHECK-NEXT: %r = relax.greater_equal %x, %y : (!relax.tensor<[2, 3], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[2, 3], i1>{{$}}
// GENERIC: %r = "relax.greater_equal"(%x, %y) : (!relax.tensor<[2, 3], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[2, 3], i1>{{$}}
relax.func @scalar(%x: !relax.tensor<[2, 3], f32>, %y: !relax.tensor<[], f32>) -> !relax.object {
  %r = relax.greater_equal %x, %y : (!relax.tensor<[2, 3], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[2, 3], i1>
  relax.return %r : !relax.tensor<[2, 3], i1>
}

// CHECK-LABEL: relax.func @ones(
// CHECK-NEXT: %r = relax.greater_equal %x, %y : (!relax.tensor<[2, 1], f32>, !relax.tensor<[3], f32>) -> !relax.tensor<[2, 3], i1>{{$}}
// GENERIC: %r = "relax.greater_equal"(%x, %y) : (!relax.tensor<[2, 1], f32>, !relax.tensor<[3], f32>) -> !relax.tensor<[2, 3], i1>{{$}}
relax.func @ones(%x: !relax.tensor<[2, 1], f32>, %y: !relax.tensor<[3], f32>) -> !relax.object {
  %r = relax.greater_equal %x, %y : (!relax.tensor<[2, 1], f32>, !relax.tensor<[3], f32>) -> !relax.tensor<[2, 3], i1>
  relax.return %r : !relax.tensor<[2, 3], i1>
}

// CHECK-LABEL: relax.func @symbolic(
// CHECK-NEXT: %r = relax.greater_equal %x, %y : (!relax.tensor<[n, m], f32>, !relax.tensor<[n, m], f32>) -> !relax.tensor<[n, m], i1>{{$}}
// GENERIC: %r = "relax.greater_equal"(%x, %y) : (!relax.tensor<[n, m], f32>, !relax.tensor<[n, m], f32>) -> !relax.tensor<[n, m], i1>{{$}}
relax.func @symbolic(%x: !relax.tensor<[n, m], f32>, %y: !relax.tensor<[n, m], f32>) -> !relax.object {
  %r = relax.greater_equal %x, %y : (!relax.tensor<[n, m], f32>, !relax.tensor<[n, m], f32>) -> !relax.tensor<[n, m], i1>
  relax.return %r : !relax.tensor<[n, m], i1>
}

// CHECK-LABEL: relax.func @symbolic_with_one(
// CHECK-NEXT: %r = relax.greater_equal %x, %y : (!relax.tensor<[n, 1], f32>, !relax.tensor<[m], f32>) -> !relax.tensor<[n, m], i1>{{$}}
// GENERIC: %r = "relax.greater_equal"(%x, %y) : (!relax.tensor<[n, 1], f32>, !relax.tensor<[m], f32>) -> !relax.tensor<[n, m], i1>{{$}}
relax.func @symbolic_with_one(%x: !relax.tensor<[n, 1], f32>, %y: !relax.tensor<[m], f32>) -> !relax.object {
  %r = relax.greater_equal %x, %y : (!relax.tensor<[n, 1], f32>, !relax.tensor<[m], f32>) -> !relax.tensor<[n, m], i1>
  relax.return %r : !relax.tensor<[n, m], i1>
}

// CHECK-LABEL: relax.func @symbolic_with_constant(
// CHECK-NEXT: %r = relax.greater_equal %x, %y : (!relax.tensor<[n], f32>, !relax.tensor<[4], f32>) -> !relax.tensor<[4], i1>{{$}}
// GENERIC: %r = "relax.greater_equal"(%x, %y) : (!relax.tensor<[n], f32>, !relax.tensor<[4], f32>) -> !relax.tensor<[4], i1>{{$}}
relax.func @symbolic_with_constant(%x: !relax.tensor<[n], f32>, %y: !relax.tensor<[4], f32>) -> !relax.object {
  %r = relax.greater_equal %x, %y : (!relax.tensor<[n], f32>, !relax.tensor<[4], f32>) -> !relax.tensor<[4], i1>
  relax.return %r : !relax.tensor<[4], i1>
}

// CHECK-LABEL: relax.func @unknown_dim_with_constant(
// CHECK-NEXT: %r = relax.greater_equal %x, %y : (!relax.tensor<[?], f32>, !relax.tensor<[4], f32>) -> !relax.tensor<[4], i1>{{$}}
// GENERIC: %r = "relax.greater_equal"(%x, %y) : (!relax.tensor<[?], f32>, !relax.tensor<[4], f32>) -> !relax.tensor<[4], i1>{{$}}
relax.func @unknown_dim_with_constant(%x: !relax.tensor<[?], f32>, %y: !relax.tensor<[4], f32>) -> !relax.object {
  %r = relax.greater_equal %x, %y : (!relax.tensor<[?], f32>, !relax.tensor<[4], f32>) -> !relax.tensor<[4], i1>
  relax.return %r : !relax.tensor<[4], i1>
}

// CHECK-LABEL: relax.func @unknown_rank(
// CHECK-NEXT: %r = relax.greater_equal %x, %y : (!relax.tensor<*, f32>, !relax.tensor<[4], f32>) -> !relax.tensor<*, i1>{{$}}
// GENERIC: %r = "relax.greater_equal"(%x, %y) : (!relax.tensor<*, f32>, !relax.tensor<[4], f32>) -> !relax.tensor<*, i1>{{$}}
relax.func @unknown_rank(%x: !relax.tensor<*, f32>, %y: !relax.tensor<[4], f32>) -> !relax.object {
  %r = relax.greater_equal %x, %y : (!relax.tensor<*, f32>, !relax.tensor<[4], f32>) -> !relax.tensor<*, i1>
  relax.return %r : !relax.tensor<*, i1>
}

// CHECK-LABEL: relax.func @wider(
// CHECK-NEXT: %r = relax.greater_equal %x, %y : (!relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>) -> !relax.tensor<[?, 4], i1>{{$}}
// GENERIC: %r = "relax.greater_equal"(%x, %y) : (!relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>) -> !relax.tensor<[?, 4], i1>{{$}}
relax.func @wider(%x: !relax.tensor<[n, 4], f32>, %y: !relax.tensor<[n, 4], f32>) -> !relax.object {
  %r = relax.greater_equal %x, %y : (!relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>) -> !relax.tensor<[?, 4], i1>
  relax.return %r : !relax.tensor<[?, 4], i1>
}

// CHECK-LABEL: relax.func @integers(
// CHECK-NEXT: %r = relax.greater_equal %x, %y : (!relax.tensor<[n], i32>, !relax.tensor<[n], i32>) -> !relax.tensor<[n], i1>{{$}}
// GENERIC: %r = "relax.greater_equal"(%x, %y) : (!relax.tensor<[n], i32>, !relax.tensor<[n], i32>) -> !relax.tensor<[n], i1>{{$}}
relax.func @integers(%x: !relax.tensor<[n], i32>, %y: !relax.tensor<[n], i32>) -> !relax.object {
  %r = relax.greater_equal %x, %y : (!relax.tensor<[n], i32>, !relax.tensor<[n], i32>) -> !relax.tensor<[n], i1>
  relax.return %r : !relax.tensor<[n], i1>
}

// CHECK-LABEL: relax.func @mixed(
// CHECK-NEXT: %r = relax.greater_equal %x, %y : (!relax.tensor<[n, m], i1>, !relax.tensor<[m], ui8>) -> !relax.tensor<[n, m], i1>{{$}}
relax.func @mixed(%x: !relax.tensor<[n, m], i1>, %y: !relax.tensor<[m], ui8>) -> !relax.object {
  %r = relax.greater_equal %x, %y : (!relax.tensor<[n, m], i1>, !relax.tensor<[m], ui8>) -> !relax.tensor<[n, m], i1>
  relax.return %r : !relax.tensor<[n, m], i1>
}
