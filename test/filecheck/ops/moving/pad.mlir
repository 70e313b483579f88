// RUN: relax-opt %s | relax-opt | filecheck %s

// CHECK-LABEL: relax.func @static(
// CHECK-NEXT: %r = relax.pad %x {pad_width = array<i64: 1, 2, 0, 3>} : (!relax.tensor<[2, 3], f32>) -> !relax.tensor<[5, 6], f32>{{$}}
relax.func @static(%x: !relax.tensor<[2, 3], f32>) -> !relax.object {
  %r = relax.pad %x {pad_width = array<i64: 1, 2, 0, 3>} : (!relax.tensor<[2, 3], f32>) -> !relax.tensor<[5, 6], f32>
  relax.return %r : !relax.tensor<[5, 6], f32>
}

// CHECK-LABEL: relax.func @value(
// CHECK-NEXT: %r = relax.pad %x {pad_width = array<i64: 1, 1, 0, 0>, pad_mode = "constant", pad_value = -7 : i64} : (!relax.tensor<[n, m], i8>) -> !relax.tensor<[n + 2, m], i8>{{$}}
relax.func @value(%x: !relax.tensor<[n, m], i8>) -> !relax.object {
  %r = relax.pad %x {pad_width = array<i64: 1, 1, 0, 0>, pad_mode = "constant", pad_value = -7 : i64} : (!relax.tensor<[n, m], i8>) -> !relax.tensor<[n + 2, m], i8>
  relax.return %r : !relax.tensor<[n + 2, m], i8>
}

// CHECK-LABEL: relax.func @float_value(
// CHECK-NEXT: %r = relax.pad %x {pad_width = array<i64: 0, 1>, pad_mode = "constant", pad_value = 5.000000e-01 : f64} : (!relax.tensor<[n], f32>) -> !relax.tensor<[n + 1], f32>{{$}}
relax.func @float_value(%x: !relax.tensor<[n], f32>) -> !relax.object {
  %r = relax.pad %x {pad_width = array<i64: 0, 1>, pad_mode = "constant", pad_value = 5.000000e-01 : f64} : (!relax.tensor<[n], f32>) -> !relax.tensor<[n + 1], f32>
  relax.return %r : !relax.tensor<[n + 1], f32>
}

// CHECK-LABEL: relax.func @reflect(
// CHECK-NEXT: %r = relax.pad %x {pad_width = array<i64: 0, 0, 2, 1>, pad_mode = "reflect"} : (!relax.tensor<[n, 3], f32>) -> !relax.tensor<[n, 6], f32>{{$}}
relax.func @reflect(%x: !relax.tensor<[n, 3], f32>) -> !relax.object {
  %r = relax.pad %x {pad_width = array<i64: 0, 0, 2, 1>, pad_mode = "reflect"} : (!relax.tensor<[n, 3], f32>) -> !relax.tensor<[n, 6], f32>
  relax.return %r : !relax.tensor<[n, 6], f32>
}

// CHECK-LABEL: relax.func @replicate(
// CHECK-NEXT: %r = relax.pad %x {pad_width = array<i64: 3, 3>, pad_mode = "replicate"} : (!relax.tensor<[n], f32>) -> !relax.tensor<[n + 6], f32>{{$}}
relax.func @replicate(%x: !relax.tensor<[n], f32>) -> !relax.object {
  %r = relax.pad %x {pad_width = array<i64: 3, 3>, pad_mode = "replicate"} : (!relax.tensor<[n], f32>) -> !relax.tensor<[n + 6], f32>
  relax.return %r : !relax.tensor<[n + 6], f32>
}

// CHECK-LABEL: relax.func @circular(
// CHECK-NEXT: %r = relax.pad %x {pad_width = array<i64: 4, 3>, pad_mode = "circular"} : (!relax.tensor<[4], f32>) -> !relax.tensor<[11], f32>{{$}}
relax.func @circular(%x: !relax.tensor<[4], f32>) -> !relax.object {
  %r = relax.pad %x {pad_width = array<i64: 4, 3>, pad_mode = "circular"} : (!relax.tensor<[4], f32>) -> !relax.tensor<[11], f32>
  relax.return %r : !relax.tensor<[11], f32>
}

// CHECK-LABEL: relax.func @unknown_dim(
// CHECK-NEXT: %r = relax.pad %x {pad_width = array<i64: 1, 0, 0, 1>} : (!relax.tensor<[?, 4]>) -> !relax.tensor<[?, 5]>{{$}}
relax.func @unknown_dim(%x: !relax.tensor<[?, 4]>) -> !relax.object {
  %r = relax.pad %x {pad_width = array<i64: 1, 0, 0, 1>} : (!relax.tensor<[?, 4]>) -> !relax.tensor<[?, 5]>
  relax.return %r : !relax.tensor<[?, 5]>
}

// CHECK-LABEL: relax.func @unknown_rank(
// CHECK-NEXT: %r = relax.pad %x {pad_width = array<i64: 1, 0, 0, 1>} : (!relax.tensor<*, f32>) -> !relax.tensor<[?, ?], f32>{{$}}
relax.func @unknown_rank(%x: !relax.tensor<*, f32>) -> !relax.object {
  %r = relax.pad %x {pad_width = array<i64: 1, 0, 0, 1>} : (!relax.tensor<*, f32>) -> !relax.tensor<[?, ?], f32>
  relax.return %r : !relax.tensor<[?, ?], f32>
}
