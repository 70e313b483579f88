// RUN: relax-opt %s | relax-opt | filecheck %s

// CHECK-LABEL: relax.func @static(
// CHECK-NEXT: %r = relax.nll_loss %x, %y, %z : (!relax.tensor<[4, 3], f32>, !relax.tensor<[4], i64>, !relax.tensor<[3], f32>) -> !relax.tensor<[], f32>{{$}}
relax.func @static(%x: !relax.tensor<[4, 3], f32>, %y: !relax.tensor<[4], i64>, %z: !relax.tensor<[3], f32>) -> !relax.object {
  %r = relax.nll_loss %x, %y, %z : (!relax.tensor<[4, 3], f32>, !relax.tensor<[4], i64>, !relax.tensor<[3], f32>) -> !relax.tensor<[], f32>
  relax.return %r : !relax.tensor<[], f32>
}

// CHECK-LABEL: relax.func @symbolic(
// CHECK-NEXT: %r = relax.nll_loss %x, %y {ignore_index = 255 : i64, reduction = "none"} : (!relax.tensor<[n, c, h, w], f16>, !relax.tensor<[n, h, w], ui8>) -> !relax.tensor<[n, h, w], f16>{{$}}
relax.func @symbolic(%x: !relax.tensor<[n, c, h, w], f16>, %y: !relax.tensor<[n, h, w], ui8>) -> !relax.object {
  %r = relax.nll_loss %x, %y {ignore_index = 255 : i64, reduction = "none"} : (!relax.tensor<[n, c, h, w], f16>, !relax.tensor<[n, h, w], ui8>) -> !relax.tensor<[n, h, w], f16>
  relax.return %r : !relax.tensor<[n, h, w], f16>
}

// CHECK-LABEL: relax.func @vector(
// CHECK-NEXT: %r = relax.nll_loss %x, %y {reduction = "sum"} : (!relax.tensor<[c], f32>, !relax.tensor<[], i32>) -> !relax.tensor<[], f32>{{$}}
relax.func @vector(%x: !relax.tensor<[c], f32>, %y: !relax.tensor<[], i32>) -> !relax.object {
  %r = relax.nll_loss %x, %y {reduction = "sum"} : (!relax.tensor<[c], f32>, !relax.tensor<[], i32>) -> !relax.tensor<[], f32>
  relax.return %r : !relax.tensor<[], f32>
}

// CHECK-LABEL: relax.func @sizes_to_be_checked(
// CHECK-NEXT: %r = relax.nll_loss %x, %y, %z {reduction = "none"} : (!relax.tensor<[n, c], f32>, !relax.tensor<[m], i32>, !relax.tensor<[k], f32>) -> !relax.tensor<[m], f32>{{$}}
relax.func @sizes_to_be_checked(%x: !relax.tensor<[n, c], f32>, %y: !relax.tensor<[m], i32>, %z: !relax.tensor<[k], f32>) -> !relax.object {
  %r = relax.nll_loss %x, %y, %z {reduction = "none"} : (!relax.tensor<[n, c], f32>, !relax.tensor<[m], i32>, !relax.tensor<[k], f32>) -> !relax.tensor<[m], f32>
  relax.return %r : !relax.tensor<[m], f32>
}

// CHECK-LABEL: relax.func @unknown_rank(
// CHECK-NEXT: %r = relax.nll_loss %x, %y {reduction = "none"} : (!relax.tensor<*, f32>, !relax.tensor<*, i32>) -> !relax.tensor<*, f32>{{$}}
relax.func @unknown_rank(%x: !relax.tensor<*, f32>, %y: !relax.tensor<*, i32>) -> !relax.object {
  %r = relax.nll_loss %x, %y {reduction = "none"} : (!relax.tensor<*, f32>, !relax.tensor<*, i32>) -> !relax.tensor<*, f32>
  relax.return %r : !relax.tensor<*, f32>
}

// CHECK-LABEL: relax.func @unknown_dtype(
// CHECK-NEXT: %r = relax.nll_loss %x, %y : (!relax.tensor<[n, c]>, !relax.tensor<[n]>) -> !relax.tensor<[]>{{$}}
relax.func @unknown_dtype(%x: !relax.tensor<[n, c]>, %y: !relax.tensor<[n]>) -> !relax.object {
  %r = relax.nll_loss %x, %y : (!relax.tensor<[n, c]>, !relax.tensor<[n]>) -> !relax.tensor<[]>
  relax.return %r : !relax.tensor<[]>
}

// CHECK-LABEL: relax.func @shape_of_the_predictions(
// CHECK-NEXT: %r = relax.nll_loss %x, %y {reduction = "none"} : (!relax.tensor<[n, c, h], f32>, !relax.tensor<*, i32>) -> !relax.tensor<[n, h], f32>{{$}}
relax.func @shape_of_the_predictions(%x: !relax.tensor<[n, c, h], f32>, %y: !relax.tensor<*, i32>) -> !relax.object {
  %r = relax.nll_loss %x, %y {reduction = "none"} : (!relax.tensor<[n, c, h], f32>, !relax.tensor<*, i32>) -> !relax.tensor<[n, h], f32>
  relax.return %r : !relax.tensor<[n, h], f32>
}

// CHECK-LABEL: relax.func @shape_of_both(
// CHECK-NEXT: %r = relax.nll_loss %x, %y {reduction = "none"} : (!relax.tensor<[n, c, ?, w], f32>, !relax.tensor<[?, 4, ?], i32>) -> !relax.tensor<[n, 4, w], f32>{{$}}
relax.func @shape_of_both(%x: !relax.tensor<[n, c, ?, w], f32>, %y: !relax.tensor<[?, 4, ?], i32>) -> !relax.object {
  %r = relax.nll_loss %x, %y {reduction = "none"} : (!relax.tensor<[n, c, ?, w], f32>, !relax.tensor<[?, 4, ?], i32>) -> !relax.tensor<[n, 4, w], f32>
  relax.return %r : !relax.tensor<[n, 4, w], f32>
}

// CHECK-LABEL: relax.func @rank_of_a_vector(
// CHECK-NEXT: %r = relax.nll_loss %x, %y {reduction = "none"} : (!relax.tensor<[c], f32>, !relax.tensor<*, i32>) -> !relax.tensor<[], f32>{{$}}
relax.func @rank_of_a_vector(%x: !relax.tensor<[c], f32>, %y: !relax.tensor<*, i32>) -> !relax.object {
  %r = relax.nll_loss %x, %y {reduction = "none"} : (!relax.tensor<[c], f32>, !relax.tensor<*, i32>) -> !relax.tensor<[], f32>
  relax.return %r : !relax.tensor<[], f32>
}
