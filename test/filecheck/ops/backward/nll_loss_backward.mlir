// RUN: relax-opt %s | relax-opt | filecheck %s
// RUN: relax-opt %s --print-op-generic | relax-opt | filecheck %s
// RUN: relax-opt %s --print-op-generic | filecheck %s --check-prefix GENERIC

// CHECK-LABEL: relax.func @mean(
// CHECK-NEXT: %r = relax.nll_loss_backward %g, %p, %t : (!relax.tensor<[], f32>, !relax.tensor<[n, k], f32>, !relax.tensor<[n], i64>) -> !relax.tensor<[n, k], f32>{{$}}
// GENERIC: %r = "relax.nll_loss_backward"(%g, %p, %t) : (!relax.tensor<[], f32>, !relax.tensor<[n, k], f32>, !relax.tensor<[n], i64>) -> !relax.tensor<[n, k], f32>{{$}}
relax.func @mean(%g: !relax.tensor<[], f32>, %p: !relax.tensor<[n, k], f32>, %t: !relax.tensor<[n], i64>) -> !relax.object {
  %r = relax.nll_loss_backward %g, %p, %t : (!relax.tensor<[], f32>, !relax.tensor<[n, k], f32>, !relax.tensor<[n], i64>) -> !relax.tensor<[n, k], f32>
  relax.return %r : !relax.tensor<[n, k], f32>
}

// CHECK-LABEL: relax.func @weighted(
// CHECK-NEXT: %r = relax.nll_loss_backward %g, %p, %t, %w {ignore_index = 2 : i64, reduction = "sum"} : (!relax.tensor<[], f32>, !relax.tensor<[n, k, 3], f32>, !relax.tensor<[n, 3], i64>, !relax.tensor<[k], f32>) -> !relax.tensor<[n, k, 3], f32>{{$}}
// GENERIC: %r = "relax.nll_loss_backward"(%g, %p, %t, %w) <{ignore_index = 2 : i64, reduction = "sum"}> : (!relax.tensor<[], f32>, !relax.tensor<[n, k, 3], f32>, !relax.tensor<[n, 3], i64>, !relax.tensor<[k], f32>) -> !relax.tensor<[n, k, 3], f32>{{$}}
relax.func @weighted(%g: !relax.tensor<[], f32>, %p: !relax.tensor<[n, k, 3], f32>, %t: !relax.tensor<[n, 3], i64>, %w: !relax.tensor<[k], f32>) -> !relax.object {
  %r = relax.nll_loss_backward %g, %p, %t, %w {ignore_index = 2 : i64, reduction = "sum"} : (!relax.tensor<[], f32>, !relax.tensor<[n, k, 3], f32>, !relax.tensor<[n, 3], i64>, !relax.tensor<[k], f32>) -> !relax.tensor<[n, k, 3], f32>
  relax.return %r : !relax.tensor<[n, k, 3], f32>
}

// CHECK-LABEL: relax.func @none(
// CHECK-NEXT: %r = relax.nll_loss_backward %g, %p, %t {reduction = "none"} : (!relax.tensor<[n], f32>, !relax.tensor<[n, k], f32>, !relax.tensor<[n], i64>) -> !relax.tensor<[n, k], f32>{{$}}
// GENERIC: %r = "relax.nll_loss_backward"(%g, %p, %t) <{reduction = "none"}> : (!relax.tensor<[n], f32>, !relax.tensor<[n, k], f32>, !relax.tensor<[n], i64>) -> !relax.tensor<[n, k], f32>{{$}}
relax.func @none(%g: !relax.tensor<[n], f32>, %p: !relax.tensor<[n, k], f32>, %t: !relax.tensor<[n], i64>) -> !relax.object {
  %r = relax.nll_loss_backward %g, %p, %t {reduction = "none"} : (!relax.tensor<[n], f32>, !relax.tensor<[n, k], f32>, !relax.tensor<[n], i64>) -> !relax.tensor<[n, k], f32>
  relax.return %r : !relax.tensor<[n, k], f32>
}

// CHECK-LABEL: relax.func @one(
// CHECK-NEXT: %r = relax.nll_loss_backward %g, %p, %t : (!relax.tensor<[], f64>, !relax.tensor<[5], f64>, !relax.tensor<[], i32>) -> !relax.tensor<[5], f64>{{$}}
// GENERIC: %r = "relax.nll_loss_backward"(%g, %p, %t) : (!relax.tensor<[], f64>, !relax.tensor<[5], f64>, !relax.tensor<[], i32>) -> !relax.tensor<[5], f64>{{$}}
relax.func @one(%g: !relax.tensor<[], f64>, %p: !relax.tensor<[5], f64>, %t: !relax.tensor<[], i32>) -> !relax.object {
  %r = relax.nll_loss_backward %g, %p, %t : (!relax.tensor<[], f64>, !relax.tensor<[5], f64>, !relax.tensor<[], i32>) -> !relax.tensor<[5], f64>
  relax.return %r : !relax.tensor<[5], f64>
}

// CHECK-LABEL: relax.func @unknown_rank(
// CHECK-NEXT: %r = relax.nll_loss_backward %g, %p, %t : (!relax.tensor<[], f32>, !relax.tensor<*, f32>, !relax.tensor<[n], i64>) -> !relax.tensor<*, f32>{{$}}
// GENERIC: %r = "relax.nll_loss_backward"(%g, %p, %t) : (!relax.tensor<[], f32>, !relax.tensor<*, f32>, !relax.tensor<[n], i64>) -> !relax.tensor<*, f32>{{$}}
relax.func @unknown_rank(%g: !relax.tensor<[], f32>, %p: !relax.tensor<*, f32>, %t: !relax.tensor<[n], i64>) -> !relax.object {
  %r = relax.nll_loss_backward %g, %p, %t : (!relax.tensor<[], f32>, !relax.tensor<*, f32>, !relax.tensor<[n], i64>) -> !relax.tensor<*, f32>
  relax.return %r : !relax.tensor<*, f32>
}
