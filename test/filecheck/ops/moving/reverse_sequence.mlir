// RUN: relax-opt %s | relax-opt | filecheck %s

// CHECK-LABEL: relax.func @static(
// CHECK-NEXT: %r = relax.reverse_sequence %x, %y {seq_axis = 1 : i64, batch_axis = 0 : i64} : (!relax.tensor<[2, 3], f32>, !relax.tensor<[2], i32>) -> !relax.tensor<[2, 3], f32>{{$}}
relax.func @static(%x: !relax.tensor<[2, 3], f32>, %y: !relax.tensor<[2], i32>) -> !relax.object {
  %r = relax.reverse_sequence %x, %y {seq_axis = 1 : i64, batch_axis = 0 : i64} : (!relax.tensor<[2, 3], f32>, !relax.tensor<[2], i32>) -> !relax.tensor<[2, 3], f32>
  relax.return %r : !relax.tensor<[2, 3], f32>
}

// CHECK-LABEL: relax.func @symbolic(
// CHECK-NEXT: %r = relax.reverse_sequence %x, %y {seq_axis = 0 : i64, batch_axis = 1 : i64} : (!relax.tensor<[n, m, 4], f32>, !relax.tensor<[m], i64>) -> !relax.tensor<[n, m, 4], f32>{{$}}
relax.func @symbolic(%x: !relax.tensor<[n, m, 4], f32>, %y: !relax.tensor<[m], i64>) -> !relax.object {
  %r = relax.reverse_sequence %x, %y {seq_axis = 0 : i64, batch_axis = 1 : i64} : (!relax.tensor<[n, m, 4], f32>, !relax.tensor<[m], i64>) -> !relax.tensor<[n, m, 4], f32>
  relax.return %r : !relax.tensor<[n, m, 4], f32>
}

// CHECK-LABEL: relax.func @to_be_checked(
// CHECK-NEXT: %r = relax.reverse_sequence %x, %y {seq_axis = 1 : i64, batch_axis = 0 : i64} : (!relax.tensor<[n, m], f32>, !relax.tensor<[k], ui8>) -> !relax.tensor<[n, m], f32>{{$}}
relax.func @to_be_checked(%x: !relax.tensor<[n, m], f32>, %y: !relax.tensor<[k], ui8>) -> !relax.object {
  %r = relax.reverse_sequence %x, %y {seq_axis = 1 : i64, batch_axis = 0 : i64} : (!relax.tensor<[n, m], f32>, !relax.tensor<[k], ui8>) -> !relax.tensor<[n, m], f32>
  relax.return %r : !relax.tensor<[n, m], f32>
}

// CHECK-LABEL: relax.func @unknown(
// CHECK-NEXT: %r = relax.reverse_sequence %x, %y {seq_axis = -1 : i64, batch_axis = 0 : i64} : (!relax.tensor<[?, 4]>, !relax.tensor<[?]>) -> !relax.tensor<[?, 4]>{{$}}
relax.func @unknown(%x: !relax.tensor<[?, 4]>, %y: !relax.tensor<[?]>) -> !relax.object {
  %r = relax.reverse_sequence %x, %y {seq_axis = -1 : i64, batch_axis = 0 : i64} : (!relax.tensor<[?, 4]>, !relax.tensor<[?]>) -> !relax.tensor<[?, 4]>
  relax.return %r : !relax.tensor<[?, 4]>
}

// CHECK-LABEL: relax.func @unknown_rank(
// CHECK-NEXT: %r = relax.reverse_sequence %x, %y {seq_axis = 1 : i64, batch_axis = 0 : i64} : (!relax.tensor<*, f32>, !relax.tensor<*, i32>) -> !relax.tensor<*, f32>{{$}}
relax.func @unknown_rank(%x: !relax.tensor<*, f32>, %y: !relax.tensor<*, i32>) -> !relax.object {
  %r = relax.reverse_sequence %x, %y {seq_axis = 1 : i64, batch_axis = 0 : i64} : (!relax.tensor<*, f32>, !relax.tensor<*, i32>) -> !relax.tensor<*, f32>
  relax.return %r : !relax.tensor<*, f32>
}
