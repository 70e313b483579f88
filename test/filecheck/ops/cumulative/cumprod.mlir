// RUN: relax-opt %s | relax-opt | filecheck %s

// CHECK-LABEL: relax.func @flat(
// CHECK-NEXT: %r = relax.cumprod %x : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[4 * n], f32>{{$}}
relax.func @flat(%x: !relax.tensor<[n, 4], f32>) -> !relax.object {
  %r = relax.cumprod %x : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[4 * n], f32>
  relax.return %r : !relax.tensor<[4 * n], f32>
}

// CHECK-LABEL: relax.func @along(
// CHECK-NEXT: %r = relax.cumprod %x {axis = -1 : i64} : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4], f32>{{$}}
relax.func @along(%x: !relax.tensor<[n, 4], f32>) -> !relax.object {
  %r = relax.cumprod %x {axis = -1 : i64} : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4], f32>
  relax.return %r : !relax.tensor<[n, 4], f32>
}

// CHECK-LABEL: relax.func @exclusive(
// CHECK-NEXT: %r = relax.cumprod %x {exclusive = true, axis = 0 : i64} : (!relax.tensor<[n], i32>) -> !relax.tensor<[n], i32>{{$}}
relax.func @exclusive(%x: !relax.tensor<[n], i32>) -> !relax.object {
  %r = relax.cumprod %x {exclusive = true, axis = 0 : i64} : (!relax.tensor<[n], i32>) -> !relax.tensor<[n], i32>
  relax.return %r : !relax.tensor<[n], i32>
}

// CHECK-LABEL: relax.func @converted(
// CHECK-NEXT: %r = relax.cumprod %x {dtype = i64, axis = 1 : i64} : (!relax.tensor<[n, m], i1>) -> !relax.tensor<[n, m], i64>{{$}}
relax.func @converted(%x: !relax.tensor<[n, m], i1>) -> !relax.object {
  %r = relax.cumprod %x {dtype = i64, axis = 1 : i64} : (!relax.tensor<[n, m], i1>) -> !relax.tensor<[n, m], i64>
  relax.return %r : !relax.tensor<[n, m], i64>
}

// CHECK-LABEL: relax.func @unknown_dim(
// CHECK-NEXT: %r = relax.cumprod %x : (!relax.tensor<[?, 4], f32>) -> !relax.tensor<[?], f32>{{$}}
relax.func @unknown_dim(%x: !relax.tensor<[?, 4], f32>) -> !relax.object {
  %r = relax.cumprod %x : (!relax.tensor<[?, 4], f32>) -> !relax.tensor<[?], f32>
  relax.return %r : !relax.tensor<[?], f32>
}

// CHECK-LABEL: relax.func @unknown_rank(
// CHECK-NEXT: %r = relax.cumprod %x : (!relax.tensor<*, f32>) -> !relax.tensor<[?], f32>{{$}}
relax.func @unknown_rank(%x: !relax.tensor<*, f32>) -> !relax.object {
  %r = relax.cumprod %x : (!relax.tensor<*, f32>) -> !relax.tensor<[?], f32>
  relax.return %r : !relax.tensor<[?], f32>
}

// CHECK-LABEL: relax.func @unknown_rank_along(
// CHECK-NEXT: %r = relax.cumprod %x {axis = 3 : i64} : (!relax.tensor<*, f32>) -> !relax.tensor<*, f32>{{$}}
relax.func @unknown_rank_along(%x: !relax.tensor<*, f32>) -> !relax.object {
  %r = relax.cumprod %x {axis = 3 : i64} : (!relax.tensor<*, f32>) -> !relax.tensor<*, f32>
  relax.return %r : !relax.tensor<*, f32>
}

// CHECK-LABEL: relax.func @unknown_dtype(
// CHECK-NEXT: %r = relax.cumprod %x {axis = 0 : i64} : (!relax.tensor<[n]>) -> !relax.tensor<[n]>{{$}}
relax.func @unknown_dtype(%x: !relax.tensor<[n]>) -> !relax.object {
  %r = relax.cumprod %x {axis = 0 : i64} : (!relax.tensor<[n]>) -> !relax.tensor<[n]>
  relax.return %r : !relax.tensor<[n]>
}
