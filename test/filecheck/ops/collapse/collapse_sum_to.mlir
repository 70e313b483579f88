// RUN: relax-opt %s | relax-opt | filecheck %s
// RUN: relax-opt %s --print-op-generic | relax-opt | filecheck %s
// RUN: relax-opt %s --print-op-generic | filecheck %s --check-prefix GENERIC

// CHECK-LABEL: relax.func @leading(
// CHECK-NEXT: %r = relax.collapse_sum_to %x, %y : (!relax.tensor<[n, m, 4], f32>, !relax.shape<[m, 4]>) -> !relax.tensor<[m, 4], f32>{{$}}
// GENERIC: %r = "relax.collapse_sum_to"(%x, %y) : (!relax.tensor<[n, m, 4], f32>, !relax.shape<[m, 4]>) -> !relax.tensor<[m, 4], f32>{{$}}
relax.func @leading(%x: !relax.tensor<[n, m, 4], f32>, %y: !relax.shape<[m, 4]>) -> !relax.object {
  %r = relax.collapse_sum_to %x, %y : (!relax.tensor<[n, m, 4], f32>, !relax.shape<[m, 4]>) -> !relax.tensor<[m, 4], f32>
  relax.return %r : !relax.tensor<[m, 4], f32>
}

// CHECK-LABEL: relax.func @ones(
// CHECK-NEXT: %r = relax.collapse_sum_to %x, %y : (!relax.tensor<[n, m], i32>, !relax.shape<[n, 1]>) -> !relax.tensor<[n, 1], i32>{{$}}
// GENERIC: %r = "relax.collapse_sum_to"(%x, %y) : (!relax.tensor<[n, m], i32>, !relax.shape<[n, 1]>) -> !relax.tensor<[n, 1], i32>{{$}}
relax.func @ones(%x: !relax.tensor<[n, m], i32>, %y: !relax.shape<[n, 1]>) -> !relax.object {
  %r = relax.collapse_sum_to %x, %y : (!relax.tensor<[n, m], i32>, !relax.shape<[n, 1]>) -> !relax.tensor<[n, 1], i32>
  relax.return %r : !relax.tensor<[n, 1], i32>
}

// CHECK-LABEL: relax.func @scalar(
// CHECK-NEXT: %r = relax.collapse_sum_to %x, %y : (!relax.tensor<[n, m], f64>, !relax.shape<[]>) -> !relax.tensor<[], f64>{{$}}
// GENERIC: %r = "relax.collapse_sum_to"(%x, %y) : (!relax.tensor<[n, m], f64>, !relax.shape<[]>) -> !relax.tensor<[], f64>{{$}}
relax.func @scalar(%x: !relax.tensor<[n, m], f64>, %y: !relax.shape<[]>) -> !relax.object {
  %r = relax.collapse_sum_to %x, %y : (!relax.tensor<[n, m], f64>, !relax.shape<[]>) -> !relax.tensor<[], f64>
  relax.return %r : !relax.tensor<[], f64>
}

// CHECK-LABEL: relax.func @to_be_checked(
// CHECK-NEXT: %r = relax.collapse_sum_to %x, %y : (!relax.tensor<[n, 4], f32>, !relax.shape<[m, 4]>) -> !relax.tensor<[m, 4], f32>{{$}}
// GENERIC: %r = "relax.collapse_sum_to"(%x, %y) : (!relax.tensor<[n, 4], f32>, !relax.shape<[m, 4]>) -> !relax.tensor<[m, 4], f32>{{$}}
relax.func @to_be_checked(%x: !relax.tensor<[n, 4], f32>, %y: !relax.shape<[m, 4]>) -> !relax.object {
  %r = relax.collapse_sum_to %x, %y : (!relax.tensor<[n, 4], f32>, !relax.shape<[m, 4]>) -> !relax.tensor<[m, 4], f32>
  relax.return %r : !relax.tensor<[m, 4], f32>
}

// CHECK-LABEL: relax.func @unknown(
// CHECK-NEXT: %r = relax.collapse_sum_to %x, %y : (!relax.tensor<[?, 4]>, !relax.shape<[n, ?]>) -> !relax.tensor<[n, ?]>{{$}}
// GENERIC: %r = "relax.collapse_sum_to"(%x, %y) : (!relax.tensor<[?, 4]>, !relax.shape<[n, ?]>) -> !relax.tensor<[n, ?]>{{$}}
relax.func @unknown(%x: !relax.tensor<[?, 4]>, %y: !relax.shape<[n, ?]>) -> !relax.object {
  %r = relax.collapse_sum_to %x, %y : (!relax.tensor<[?, 4]>, !relax.shape<[n, ?]>) -> !relax.tensor<[n, ?]>
  relax.return %r : !relax.tensor<[n, ?]>
}

// CHECK-LABEL: relax.func @unknown_rank(
// CHECK-NEXT: %r = relax.collapse_sum_to %x, %y : (!relax.tensor<*, f32>, !relax.shape<*>) -> !relax.tensor<*, f32>{{$}}
// GENERIC: %r = "relax.collapse_sum_to"(%x, %y) : (!relax.tensor<*, f32>, !relax.shape<*>) -> !relax.tensor<*, f32>{{$}}
relax.func @unknown_rank(%x: !relax.tensor<*, f32>, %y: !relax.shape<*>) -> !relax.object {
  %r = relax.collapse_sum_to %x, %y : (!relax.tensor<*, f32>, !relax.shape<*>) -> !relax.tensor<*, f32>
  relax.return %r : !relax.tensor<*, f32>
}
