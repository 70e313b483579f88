// RUN: not relax-opt %s 2>&1 | filecheck %s

// The number of boxes is a whole one.

relax.func @f(%a: !relax.tensor<[b, n, 4], f32>, %s: !relax.tensor<[b, c, n], f32>, %n: !relax.tensor<[], f32>, %t: !relax.tensor<[], f32>) -> !relax.object {
  %r = relax.all_class_non_max_suppression %a, %s, %n, %t : (!relax.tensor<[b, n, 4], f32>, !relax.tensor<[b, c, n], f32>, !relax.tensor<[], f32>, !relax.tensor<[], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: all_class_non_max_suppression_C3.mlir:6:8: error: @f: relax.all_class_non_max_suppression (%r): expected an integer element type of 'max_output_boxes_per_class' (C3), found f32; convert with relax.astype first{{$}}
