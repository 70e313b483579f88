// RUN: relax-opt %s --split-input-file --verify-diagnostics | filecheck %s

// Values and boundaries are compared.

relax.func @f(%x: !relax.tensor<[n], f32>, %y: !relax.tensor<[4], f64>) -> !relax.object {
  %r = relax.bucketize %x, %y : (!relax.tensor<[n], f32>, !relax.tensor<[4], f64>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: error: @f: relax.bucketize (%r): expected operands of one element type (C1), found f64 and f32; convert one of them with relax.astype{{$}}

// -----

// Booleans are no numbers.

relax.func @f(%x: !relax.tensor<[4], i1>, %y: !relax.tensor<[n], i1>) -> !relax.object {
  %r = relax.searchsorted %x, %y : (!relax.tensor<[4], i1>, !relax.tensor<[n], i1>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: error: @f: relax.searchsorted (%r): expected a numeric element type (C1), found i1; convert with relax.astype first{{$}}
