// RUN: not relax-opt %s 2>&1 | filecheck %s

// A box is four numbers.

relax.func @f(%a: !relax.tensor<[b, n, 5], f32>, %s: !relax.tensor<[b, c, n], f32>, %n: !relax.tensor<[], i64>, %t: !relax.tensor<[], f32>) -> !relax.object {
  %r = relax.all_class_non_max_suppression %a, %s, %n, %t : (!relax.tensor<[b, n, 5], f32>, !relax.tensor<[b, c, n], f32>, !relax.tensor<[], i64>, !relax.tensor<[], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: all_class_non_max_suppression_C2.mlir:6:8: error: @f: relax.all_class_non_max_suppression (%r): expected four numbers in a row of 'boxes' (C2), found 5 for 4; correct 'boxes'{{$}}
