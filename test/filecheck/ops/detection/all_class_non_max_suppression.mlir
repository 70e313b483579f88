// RUN: relax-opt %s | relax-opt | filecheck %s
// RUN: relax-opt %s --print-op-generic | relax-opt | filecheck %s

// CHECK-LABEL: relax.func @corners(
// CHECK-NEXT: %r = relax.all_class_non_max_suppression %a, %s, %n, %t : (!relax.tensor<[b, n, 4], f32>, !relax.tensor<[b, c, n], f32>, !relax.tensor<[], i64>, !relax.tensor<[], f32>) -> !relax.tensor<[?, 3], i64>{{$}}
relax.func @corners(%a: !relax.tensor<[b, n, 4], f32>, %s: !relax.tensor<[b, c, n], f32>, %n: !relax.tensor<[], i64>, %t: !relax.tensor<[], f32>) -> !relax.object {
  %r = relax.all_class_non_max_suppression %a, %s, %n, %t : (!relax.tensor<[b, n, 4], f32>, !relax.tensor<[b, c, n], f32>, !relax.tensor<[], i64>, !relax.tensor<[], f32>) -> !relax.tensor<[?, 3], i64>
  relax.return %r : !relax.tensor<[?, 3], i64>
}

// CHECK-LABEL: relax.func @centres(
// CHECK-NEXT: %r = relax.all_class_non_max_suppression %a, %s, %n, %t, %u {center_point_box = true} : (!relax.tensor<*, f16>, !relax.tensor<[1, 2, 3], f16>, !relax.tensor<[], i32>, !relax.tensor<[], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[?, 3], i64>{{$}}
relax.func @centres(%a: !relax.tensor<*, f16>, %s: !relax.tensor<[1, 2, 3], f16>, %n: !relax.tensor<[], i32>, %t: !relax.tensor<[], f32>, %u: !relax.tensor<[], f32>) -> !relax.object {
  %r = relax.all_class_non_max_suppression %a, %s, %n, %t, %u {center_point_box = true} : (!relax.tensor<*, f16>, !relax.tensor<[1, 2, 3], f16>, !relax.tensor<[], i32>, !relax.tensor<[], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[?, 3], i64>
  relax.return %r : !relax.tensor<[?, 3], i64>
}
