// RUN: relax-opt %s | relax-opt | filecheck %s
// RUN: relax-opt %s --print-op-generic | relax-opt | filecheck %s
// RUN: relax-opt %s --print-op-generic | filecheck %s --check-prefix GENERIC

// CHECK-LABEL: relax.func @static(
// CHECK-NEXT: %r = relax.one_hot %x {on_value = 1.000000e+00 : f32, off_value = 0.000000e+00 : f32, depth = 5 : i64, axis = -1 : i64} : (!relax.tensor<[3], i64>) -> !relax.tensor<[3, 5], f32>{{$}}
// GENERIC: %r = "relax.one_hot"(%x) <{on_value = 1.000000e+00 : f32, off_value = 0.000000e+00 : f32, depth = 5 : i64, axis = -1 : i64}> : (!relax.tensor<[3], i64>) -> !relax.tensor<[3, 5], f32>{{$}}
relax.func @static(%x: !relax.tensor<[3], i64>) -> !relax.object {
  %r = relax.one_hot %x {on_value = 1.000000e+00 : f32, off_value = 0.000000e+00 : f32, depth = 5 : i64, axis = -1 : i64} : (!relax.tensor<[3], i64>) -> !relax.tensor<[3, 5], f32>
  relax.return %r : !relax.tensor<[3, 5], f32>
}

// CHECK-LABEL: relax.func @first(
// CHECK-NEXT: %r = relax.one_hot %x {on_value = 7 : i64, off_value = -1 : i64, depth = 4 : i64, axis = 0 : i64} : (!relax.tensor<[n, m], ui8>) -> !relax.tensor<[4, n, m], i64>{{$}}
// GENERIC: %r = "relax.one_hot"(%x) <{on_value = 7 : i64, off_value = -1 : i64, depth = 4 : i64, axis = 0 : i64}> : (!relax.tensor<[n, m], ui8>) -> !relax.tensor<[4, n, m], i64>{{$}}
relax.func @first(%x: !relax.tensor<[n, m], ui8>) -> !relax.object {
  %r = relax.one_hot %x {on_value = 7 : i64, off_value = -1 : i64, depth = 4 : i64, axis = 0 : i64} : (!relax.tensor<[n, m], ui8>) -> !relax.tensor<[4, n, m], i64>
  relax.return %r : !relax.tensor<[4, n, m], i64>
}

// CHECK-LABEL: relax.func @booleans(
// CHECK-NEXT: %r = relax.one_hot %x {on_value = true, off_value = false, depth = 2 : i64} : (!relax.tensor<[n], i32>) -> !relax.tensor<[n, 2], i1>{{$}}
// GENERIC: %r = "relax.one_hot"(%x) <{on_value = true, off_value = false, depth = 2 : i64}> : (!relax.tensor<[n], i32>) -> !relax.tensor<[n, 2], i1>{{$}}
relax.func @booleans(%x: !relax.tensor<[n], i32>) -> !relax.object {
  %r = relax.one_hot %x {on_value = true, off_value = false, depth = 2 : i64} : (!relax.tensor<[n], i32>) -> !relax.tensor<[n, 2], i1>
  relax.return %r : !relax.tensor<[n, 2], i1>
}

// CHECK-LABEL: relax.func @unknown(
// CHECK-NEXT: %r = relax.one_hot %x {on_value = 1.000000e+00 : f16, off_value = 0.000000e+00 : f16, depth = 2 : i64} : (!relax.tensor<[?]>) -> !relax.tensor<[?, 2], f16>{{$}}
// GENERIC: %r = "relax.one_hot"(%x) <{on_value = 1.000000e+00 : f16, off_value = 0.000000e+00 : f16, depth = 2 : i64}> : (!relax.tensor<[?]>) -> !relax.tensor<[?, 2], f16>{{$}}
relax.func @unknown(%x: !relax.tensor<[?]>) -> !relax.object {
  %r = relax.one_hot %x {on_value = 1.000000e+00 : f16, off_value = 0.000000e+00 : f16, depth = 2 : i64} : (!relax.tensor<[?]>) -> !relax.tensor<[?, 2], f16>
  relax.return %r : !relax.tensor<[?, 2], f16>
}

// CHECK-LABEL: relax.func @unknown_rank(
// CHECK-NEXT: %r = relax.one_hot %x {on_value = 1.000000e+00 : f32, off_value = 0.000000e+00 : f32, depth = 2 : i64} : (!relax.tensor<*, i64>) -> !relax.tensor<*, f32>{{$}}
// GENERIC: %r = "relax.one_hot"(%x) <{on_value = 1.000000e+00 : f32, off_value = 0.000000e+00 : f32, depth = 2 : i64}> : (!relax.tensor<*, i64>) -> !relax.tensor<*, f32>{{$}}
relax.func @unknown_rank(%x: !relax.tensor<*, i64>) -> !relax.object {
  %r = relax.one_hot %x {on_value = 1.000000e+00 : f32, off_value = 0.000000e+00 : f32, depth = 2 : i64} : (!relax.tensor<*, i64>) -> !relax.tensor<*, f32>
  relax.return %r : !relax.tensor<*, f32>
}
