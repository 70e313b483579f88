// RUN: relax-opt %s | relax-opt | filecheck %s

// CHECK-LABEL: relax.func @alone(
// CHECK-NEXT: %r = relax.unique %x : (!relax.tensor<[n, m], f32>) -> !relax.tensor<[?], f32>{{$}}
relax.func @alone(%x: !relax.tensor<[n, m], f32>) -> !relax.object {
  %r = relax.unique %x : (!relax.tensor<[n, m], f32>) -> !relax.tensor<[?], f32>
  relax.return %r : !relax.tensor<[?], f32>
}

// CHECK-LABEL: relax.func @everything(
// CHECK-NEXT: %r0, %r1, %r2, %r3 = relax.unique %x {return_index = true, return_inverse = true, return_counts = true} : (!relax.tensor<[n, 4], i64>) -> (!relax.tensor<[?], i64>, !relax.tensor<[?], i64>, !relax.tensor<[4 * n], i64>, !relax.tensor<[?], i64>){{$}}
relax.func @everything(%x: !relax.tensor<[n, 4], i64>) -> !relax.object {
  %r0, %r1, %r2, %r3 = relax.unique %x {return_index = true, return_inverse = true, return_counts = true} : (!relax.tensor<[n, 4], i64>) -> (!relax.tensor<[?], i64>, !relax.tensor<[?], i64>, !relax.tensor<[4 * n], i64>, !relax.tensor<[?], i64>)
  relax.return %r0 : !relax.tensor<[?], i64>
}

// CHECK-LABEL: relax.func @inverse(
// CHECK-NEXT: %r0, %r1 = relax.unique %x {return_inverse = true, axis = 0 : i64} : (!relax.tensor<[n, m], i8>) -> (!relax.tensor<[?, m], i8>, !relax.tensor<[n], i64>){{$}}
relax.func @inverse(%x: !relax.tensor<[n, m], i8>) -> !relax.object {
  %r0, %r1 = relax.unique %x {return_inverse = true, axis = 0 : i64} : (!relax.tensor<[n, m], i8>) -> (!relax.tensor<[?, m], i8>, !relax.tensor<[n], i64>)
  relax.return %r0 : !relax.tensor<[?, m], i8>
}

// CHECK-LABEL: relax.func @in_order(
// CHECK-NEXT: %r0, %r1 = relax.unique %x {sorted = false, return_counts = true, axis = -2 : i64} : (!relax.tensor<[2, n, 3], f32>) -> (!relax.tensor<[2, ?, 3], f32>, !relax.tensor<[?], i64>){{$}}
relax.func @in_order(%x: !relax.tensor<[2, n, 3], f32>) -> !relax.object {
  %r0, %r1 = relax.unique %x {sorted = false, return_counts = true, axis = -2 : i64} : (!relax.tensor<[2, n, 3], f32>) -> (!relax.tensor<[2, ?, 3], f32>, !relax.tensor<[?], i64>)
  relax.return %r0 : !relax.tensor<[2, ?, 3], f32>
}

// CHECK-LABEL: relax.func @scalar(
// CHECK-NEXT: %r0, %r1 = relax.unique %x {return_inverse = true} : (!relax.tensor<[], f32>) -> (!relax.tensor<[1], f32>, !relax.tensor<[1], i64>){{$}}
relax.func @scalar(%x: !relax.tensor<[], f32>) -> !relax.object {
  %r0, %r1 = relax.unique %x {return_inverse = true} : (!relax.tensor<[], f32>) -> (!relax.tensor<[1], f32>, !relax.tensor<[1], i64>)
  relax.return %r0 : !relax.tensor<[1], f32>
}

// CHECK-LABEL: relax.func @unknown_dim(
// CHECK-NEXT: %r0, %r1 = relax.unique %x {return_inverse = true} : (!relax.tensor<[?, 3], f32>) -> (!relax.tensor<[?], f32>, !relax.tensor<[?], i64>){{$}}
relax.func @unknown_dim(%x: !relax.tensor<[?, 3], f32>) -> !relax.object {
  %r0, %r1 = relax.unique %x {return_inverse = true} : (!relax.tensor<[?, 3], f32>) -> (!relax.tensor<[?], f32>, !relax.tensor<[?], i64>)
  relax.return %r0 : !relax.tensor<[?], f32>
}

// CHECK-LABEL: relax.func @unknown_rank(
// CHECK-NEXT: %r0, %r1 = relax.unique %x {return_inverse = true, axis = 0 : i64} : (!relax.tensor<*, f32>) -> (!relax.tensor<*, f32>, !relax.tensor<[?], i64>){{$}}
relax.func @unknown_rank(%x: !relax.tensor<*, f32>) -> !relax.object {
  %r0, %r1 = relax.unique %x {return_inverse = true, axis = 0 : i64} : (!relax.tensor<*, f32>) -> (!relax.tensor<*, f32>, !relax.tensor<[?], i64>)
  relax.return %r0 : !relax.tensor<*, f32>
}

// CHECK-LABEL: relax.func @unknown_dtype(
// CHECK-NEXT: %r = relax.unique %x : (!relax.tensor<[n]>) -> !relax.tensor<[?]>{{$}}
relax.func @unknown_dtype(%x: !relax.tensor<[n]>) -> !relax.object {
  %r = relax.unique %x : (!relax.tensor<[n]>) -> !relax.tensor<[?]>
  relax.return %r : !relax.tensor<[?]>
}

// CHECK-LABEL: relax.func @one_slice(
// CHECK-NEXT: %ra, %rb, %rc, %rd = relax.unique %x {return_index = true, return_inverse = true, return_counts = true, axis = 1 : i64} : (!relax.tensor<[n, 1], f32>) -> (!relax.tensor<[n, 1], f32>, !relax.tensor<[1], i64>, !relax.tensor<[1], i64>, !relax.tensor<[1], i64>){{$}}
relax.func @one_slice(%x: !relax.tensor<[n, 1], f32>) -> !relax.object {
  %ra, %rb, %rc, %rd = relax.unique %x {return_index = true, return_inverse = true, return_counts = true, axis = 1 : i64} : (!relax.tensor<[n, 1], f32>) -> (!relax.tensor<[n, 1], f32>, !relax.tensor<[1], i64>, !relax.tensor<[1], i64>, !relax.tensor<[1], i64>)
  relax.return %rd : !relax.tensor<[1], i64>
}

// CHECK-LABEL: relax.func @no_slices(
// CHECK-NEXT: %ra, %rb = relax.unique %x {return_counts = true, axis = 0 : i64} : (!relax.tensor<[0, n], f32>) -> (!relax.tensor<[0, n], f32>, !relax.tensor<[0], i64>){{$}}
relax.func @no_slices(%x: !relax.tensor<[0, n], f32>) -> !relax.object {
  %ra, %rb = relax.unique %x {return_counts = true, axis = 0 : i64} : (!relax.tensor<[0, n], f32>) -> (!relax.tensor<[0, n], f32>, !relax.tensor<[0], i64>)
  relax.return %rb : !relax.tensor<[0], i64>
}
