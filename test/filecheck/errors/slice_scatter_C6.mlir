// RUN: not relax-opt %s 2>&1 | filecheck %s

// Both tensors have one element type.

relax.func @f(%a: !relax.tensor<[n, 4], f32>, %b: !relax.tensor<[n, 2], f64>) -> !relax.object {
  %r = relax.slice_scatter %a, %b {axes = array<i64: 1>, begin = array<i64: 0>, end = array<i64: 2>} : (!relax.tensor<[n, 4], f32>, !relax.tensor<[n, 2], f64>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: slice_scatter_C6.mlir:6:8: error: @f: relax.slice_scatter (%r): expected operands of one element type (C6), found f32 and f64; convert one of them with relax.astype{{$}}
