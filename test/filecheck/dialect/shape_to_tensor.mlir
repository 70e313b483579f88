// RUN: relax-opt %s | relax-opt | filecheck %s

// CHECK-LABEL: relax.func @static(
// CHECK-NEXT: %r = relax.shape_to_tensor %x : (!relax.shape<[n, 4]>) -> !relax.tensor<[2], i64>{{$}}
relax.func @static(%x: !relax.shape<[n, 4]>) -> !relax.object {
  %r = relax.shape_to_tensor %x : (!relax.shape<[n, 4]>) -> !relax.tensor<[2], i64>
  relax.return %r : !relax.tensor<[2], i64>
}

// CHECK-LABEL: relax.func @unknown_size(
// CHECK-NEXT: %r = relax.shape_to_tensor %x : (!relax.shape<[?]>) -> !relax.tensor<[1], i64>{{$}}
relax.func @unknown_size(%x: !relax.shape<[?]>) -> !relax.object {
  %r = relax.shape_to_tensor %x : (!relax.shape<[?]>) -> !relax.tensor<[1], i64>
  relax.return %r : !relax.tensor<[1], i64>
}

// CHECK-LABEL: relax.func @unknown_rank(
// CHECK-NEXT: %r = relax.shape_to_tensor %x : (!relax.shape<*>) -> !relax.tensor<[?], i64>{{$}}
relax.func @unknown_rank(%x: !relax.shape<*>) -> !relax.object {
  %r = relax.shape_to_tensor %x : (!relax.shape<*>) -> !relax.tensor<[?], i64>
  relax.return %r : !relax.tensor<[?], i64>
}
