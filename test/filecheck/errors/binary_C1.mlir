// RUN: relax-opt %s --split-input-file --verify-diagnostics | filecheck %s

// The element types differ.

relax.func @f(%x: !relax.tensor<[4], f32>, %y: !relax.tensor<[4], f64>) -> !relax.object {
  %r = relax.subtract %x, %y : (!relax.tensor<[4], f32>, !relax.tensor<[4], f64>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: error: @f: relax.subtract (%r): expected operands of one element type (C1), found f32 and f64; convert one of them with relax.astype{{$}}

// -----

// Booleans are no numbers.

relax.func @f(%x: !relax.tensor<[4], i1>, %y: !relax.tensor<[4], i1>) -> !relax.object {
  %r = relax.subtract %x, %y : (!relax.tensor<[4], i1>, !relax.tensor<[4], i1>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: error: @f: relax.subtract (%r): expected a numeric element type (C1), found i1; convert with relax.astype first{{$}}

// -----

// The element types differ.

relax.func @f(%x: !relax.tensor<[4], f32>, %y: !relax.tensor<[4], f64>) -> !relax.object {
  %r = relax.multiply %x, %y : (!relax.tensor<[4], f32>, !relax.tensor<[4], f64>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: error: @f: relax.multiply (%r): expected operands of one element type (C1), found f32 and f64; convert one of them with relax.astype{{$}}

// -----

// The element types differ.

relax.func @f(%x: !relax.tensor<[4], f32>, %y: !relax.tensor<[4], f64>) -> !relax.object {
  %r = relax.maximum %x, %y : (!relax.tensor<[4], f32>, !relax.tensor<[4], f64>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: error: @f: relax.maximum (%r): expected operands of one element type (C1), found f32 and f64; convert one of them with relax.astype{{$}}
