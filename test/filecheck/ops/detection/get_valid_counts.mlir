// RUN: relax-opt %s | relax-opt | filecheck %s

// CHECK-LABEL: relax.func @symbolic(
// CHECK-NEXT: %r0, %r1, %r2 = relax.get_valid_counts %x : (!relax.tensor<[b, n, 6], f32>) -> (!relax.tensor<[b], i32>, !relax.tensor<[b, n, 6], f32>, !relax.tensor<[b, n], i32>){{$}}
relax.func @symbolic(%x: !relax.tensor<[b, n, 6], f32>) -> !relax.object {
  %r0, %r1, %r2 = relax.get_valid_counts %x : (!relax.tensor<[b, n, 6], f32>) -> (!relax.tensor<[b], i32>, !relax.tensor<[b, n, 6], f32>, !relax.tensor<[b, n], i32>)
  relax.return %r0 : !relax.tensor<[b], i32>
}

// CHECK-LABEL: relax.func @attributes(
// CHECK-NEXT: %r0, %r1, %r2 = relax.get_valid_counts %x {score_threshold = 5.000000e-01 : f64, id_index = -1 : i64, score_index = 0 : i64} : (!relax.tensor<[2, 9, 5], f16>) -> (!relax.tensor<[2], i32>, !relax.tensor<[2, 9, 5], f16>, !relax.tensor<[2, 9], i32>){{$}}
relax.func @attributes(%x: !relax.tensor<[2, 9, 5], f16>) -> !relax.object {
  %r0, %r1, %r2 = relax.get_valid_counts %x {score_threshold = 5.000000e-01 : f64, id_index = -1 : i64, score_index = 0 : i64} : (!relax.tensor<[2, 9, 5], f16>) -> (!relax.tensor<[2], i32>, !relax.tensor<[2, 9, 5], f16>, !relax.tensor<[2, 9], i32>)
  relax.return %r0 : !relax.tensor<[2], i32>
}

// CHECK-LABEL: relax.func @unknown(
// CHECK-NEXT: %r0, %r1, %r2 = relax.get_valid_counts %x : (!relax.tensor<*>) -> (!relax.tensor<[?], i32>, !relax.tensor<[?, ?, ?]>, !relax.tensor<[?, ?], i32>){{$}}
relax.func @unknown(%x: !relax.tensor<*>) -> !relax.object {
  %r0, %r1, %r2 = relax.get_valid_counts %x : (!relax.tensor<*>) -> (!relax.tensor<[?], i32>, !relax.tensor<[?, ?, ?]>, !relax.tensor<[?, ?], i32>)
  relax.return %r0 : !relax.tensor<[?], i32>
}
