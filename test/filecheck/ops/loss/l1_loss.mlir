// RUN: relax-opt %s | relax-opt | filecheck %s

// CHECK-LABEL: relax.func @static(
// CHECK-NEXT: %r = relax.l1_loss %x, %y : (!relax.tensor<[2, 3], f32>, !relax.tensor<[2, 3], f32>) -> !relax.tensor<[], f32>{{$}}
relax.func @static(%x: !relax.tensor<[2, 3], f32>, %y: !relax.tensor<[2, 3], f32>) -> !relax.object {
  %r = relax.l1_loss %x, %y : (!relax.tensor<[2, 3], f32>, !relax.tensor<[2, 3], f32>) -> !relax.tensor<[], f32>
  relax.return %r : !relax.tensor<[], f32>
}

// CHECK-LABEL: relax.func @symbolic_none(
// CHECK-NEXT: %r = relax.l1_loss %x, %y {reduction = "none"} : (!relax.tensor<[n, m, 2 * m], f16>, !relax.tensor<[n, m, 2 * m], f16>) -> !relax.tensor<[n, m, 2 * m], f16>{{$}}
relax.func @symbolic_none(%x: !relax.tensor<[n, m, 2 * m], f16>, %y: !relax.tensor<[n, m, 2 * m], f16>) -> !relax.object {
  %r = relax.l1_loss %x, %y {reduction = "none"} : (!relax.tensor<[n, m, 2 * m], f16>, !relax.tensor<[n, m, 2 * m], f16>) -> !relax.tensor<[n, m, 2 * m], f16>
  relax.return %r : !relax.tensor<[n, m, 2 * m], f16>
}

// CHECK-LABEL: relax.func @sizes_to_be_checked(
// CHECK-NEXT: %r = relax.l1_loss %x, %y {reduction = "sum"} : (!relax.tensor<[n], f64>, !relax.tensor<[m], f64>) -> !relax.tensor<[], f64>{{$}}
relax.func @sizes_to_be_checked(%x: !relax.tensor<[n], f64>, %y: !relax.tensor<[m], f64>) -> !relax.object {
  %r = relax.l1_loss %x, %y {reduction = "sum"} : (!relax.tensor<[n], f64>, !relax.tensor<[m], f64>) -> !relax.tensor<[], f64>
  relax.return %r : !relax.tensor<[], f64>
}

// CHECK-LABEL: relax.func @unknown_rank(
// CHECK-NEXT: %r = relax.l1_loss %x, %y {reduction = "none"} : (!relax.tensor<*, f32>, !relax.tensor<[n, ?], f32>) -> !relax.tensor<[n, ?], f32>{{$}}
relax.func @unknown_rank(%x: !relax.tensor<*, f32>, %y: !relax.tensor<[n, ?], f32>) -> !relax.object {
  %r = relax.l1_loss %x, %y {reduction = "none"} : (!relax.tensor<*, f32>, !relax.tensor<[n, ?], f32>) -> !relax.tensor<[n, ?], f32>
  relax.return %r : !relax.tensor<[n, ?], f32>
}

// CHECK-LABEL: relax.func @unknown_dtype(
// CHECK-NEXT: %r = relax.l1_loss %x, %y : (!relax.tensor<*>, !relax.tensor<[n], f32>) -> !relax.tensor<[]>{{$}}
relax.func @unknown_dtype(%x: !relax.tensor<*>, %y: !relax.tensor<[n], f32>) -> !relax.object {
  %r = relax.l1_loss %x, %y : (!relax.tensor<*>, !relax.tensor<[n], f32>) -> !relax.tensor<[]>
  relax.return %r : !relax.tensor<[]>
}
