// RUN: relax-opt %s | relax-opt | filecheck %s
// RUN: relax-opt %s --print-op-generic | relax-opt | filecheck %s
// RUN: relax-opt %s --print-op-generic | filecheck %s --check-prefix GENERIC

// CHECK-LABEL: relax.func @rows(
// CHECK-NEXT: %r = relax.take_backward %g, %x, %i {axis = 0 : i64} : (!relax.tensor<[k, 4], f32>, !relax.tensor<[n, 4], f32>, !relax.tensor<[k], i64>) -> !relax.tensor<[n, 4], f32>{{$}}
// GENERIC: %r = "relax.take_backward"(%g, %x, %i) <{axis = 0 : i64}> : (!relax.tensor<[k, 4], f32>, !relax.tensor<[n, 4], f32>, !relax.tensor<[k], i64>) -> !relax.tensor<[n, 4], f32>{{$}}
relax.func @rows(%g: !relax.tensor<[k, 4], f32>, %x: !relax.tensor<[n, 4], f32>, %i: !relax.tensor<[k], i64>) -> !relax.object {
  %r = relax.take_backward %g, %x, %i {axis = 0 : i64} : (!relax.tensor<[k, 4], f32>, !relax.tensor<[n, 4], f32>, !relax.tensor<[k], i64>) -> !relax.tensor<[n, 4], f32>
  relax.return %r : !relax.tensor<[n, 4], f32>
}

// CHECK-LABEL: relax.func @vector(
// CHECK-NEXT: %r = relax.take_backward %g, %x, %i : (!relax.tensor<[2, 3], f32>, !relax.tensor<[n], f32>, !relax.tensor<[2, 3], i32>) -> !relax.tensor<[n], f32>{{$}}
// GENERIC: %r = "relax.take_backward"(%g, %x, %i) : (!relax.tensor<[2, 3], f32>, !relax.tensor<[n], f32>, !relax.tensor<[2, 3], i32>) -> !relax.tensor<[n], f32>{{$}}
relax.func @vector(%g: !relax.tensor<[2, 3], f32>, %x: !relax.tensor<[n], f32>, %i: !relax.tensor<[2, 3], i32>) -> !relax.object {
  %r = relax.take_backward %g, %x, %i : (!relax.tensor<[2, 3], f32>, !relax.tensor<[n], f32>, !relax.tensor<[2, 3], i32>) -> !relax.tensor<[n], f32>
  relax.return %r : !relax.tensor<[n], f32>
}

// CHECK-LABEL: relax.func @unknown_rank(
// CHECK-NEXT: %r = relax.take_backward %g, %x, %i {axis = 1 : i64} : (!relax.tensor<*, f32>, !relax.tensor<*, f32>, !relax.tensor<[k], i64>) -> !relax.tensor<*, f32>{{$}}
// GENERIC: %r = "relax.take_backward"(%g, %x, %i) <{axis = 1 : i64}> : (!relax.tensor<*, f32>, !relax.tensor<*, f32>, !relax.tensor<[k], i64>) -> !relax.tensor<*, f32>{{$}}
relax.func @unknown_rank(%g: !relax.tensor<*, f32>, %x: !relax.tensor<*, f32>, %i: !relax.tensor<[k], i64>) -> !relax.object {
  %r = relax.take_backward %g, %x, %i {axis = 1 : i64} : (!relax.tensor<*, f32>, !relax.tensor<*, f32>, !relax.tensor<[k], i64>) -> !relax.tensor<*, f32>
  relax.return %r : !relax.tensor<*, f32>
}

// CHECK-LABEL: relax.func @unknown_dtype(
// CHECK-NEXT: %r = relax.take_backward %g, %x, %i {axis = 0 : i64} : (!relax.tensor<[3, 4]>, !relax.tensor<[5, 4]>, !relax.tensor<[3], i64>) -> !relax.tensor<[5, 4]>{{$}}
// GENERIC: %r = "relax.take_backward"(%g, %x, %i) <{axis = 0 : i64}> : (!relax.tensor<[3, 4]>, !relax.tensor<[5, 4]>, !relax.tensor<[3], i64>) -> !relax.tensor<[5, 4]>{{$}}
relax.func @unknown_dtype(%g: !relax.tensor<[3, 4]>, %x: !relax.tensor<[5, 4]>, %i: !relax.tensor<[3], i64>) -> !relax.object {
  %r = relax.take_backward %g, %x, %i {axis = 0 : i64} : (!relax.tensor<[3, 4]>, !relax.tensor<[5, 4]>, !relax.tensor<[3], i64>) -> !relax.tensor<[5, 4]>
  relax.return %r : !relax.tensor<[5, 4]>
}
