// RUN: not relax-opt %s 2>&1 | filecheck %s

// Both have one element type.

relax.func @f(%a: !relax.tensor<[b, n, 4], f32>, %s: !relax.tensor<[b, c, n], f64>, %n: !relax.tensor<[], i64>, %t: !relax.tensor<[], f32>) -> !relax.object {
  %r = relax.all_class_non_max_suppression %a, %s, %n, %t : (!relax.tensor<[b, n, 4], f32>, !relax.tensor<[b, c, n], f64>, !relax.tensor<[], i64>, !relax.tensor<[], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: all_class_non_max_suppression_C1.mlir:6:8: error: @f: relax.all_class_non_max_suppression (%r): expected operands of one element type (C1), found f32 and f64; convert one of them with relax.astype{{$}}
