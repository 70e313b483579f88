// RUN: not relax-opt %s 2>&1 | filecheck %s

// The result is allocated before the call, so its shape is known.

relax.func @f(%x: !relax.tensor<[n], f32>) -> !relax.object {
  %r = relax.call_dps_packed "fill"(%x) : (!relax.tensor<[n], f32>) -> !relax.tensor<[?], f32>
  relax.return %r : !relax.tensor<[?], f32>
}

// CHECK: call_dps_packed_C1.mlir:6:8: error: @f: relax.call_dps_packed (%r): expected a result of known shape (C1), found !relax.tensor<[?], f32>; declare it: the result is allocated before the call{{$}}
