// RUN: not relax-opt %s 2>&1 | filecheck %s

// A matrix has no order of its own to count along.

relax.func @f(%a: !relax.tensor<[n, m], f32>, %b: !relax.tensor<[k], i64>) -> !relax.object {
  %r = relax.take %a, %b : (!relax.tensor<[n, m], f32>, !relax.tensor<[k], i64>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: take_C2_vector.mlir:6:8: error: @f: relax.take (%r): expected a vector x without axis (C2), found rank 2; write axis, or flatten x{{$}}
