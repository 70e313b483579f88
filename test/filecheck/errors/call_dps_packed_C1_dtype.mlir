// RUN: not relax-opt %s 2>&1 | filecheck %s

// The result is allocated before the call, so its element type is known.

relax.func @f(%x: !relax.tensor<[n], f32>) -> !relax.object {
  %r = relax.call_dps_packed "fill"(%x) : (!relax.tensor<[n], f32>) -> !relax.tensor<[n]>
  relax.return %r : !relax.tensor<[n]>
}

// CHECK: call_dps_packed_C1_dtype.mlir:6:8: error: @f: relax.call_dps_packed (%r): expected a result of known shape and element type (C1), found !relax.tensor<[n]>; declare them: the result is allocated before the call{{$}}
