// RUN: not relax-opt %s 2>&1 | filecheck %s

// The sums are i32.

relax.func @f(%x: !relax.tensor<[n, 3, 8, 8], i8>, %y: !relax.tensor<[4, 3, 3, 3], i8>, %z: !relax.tensor<[], i8>, %u: !relax.tensor<[], i8>) -> !relax.object {
  %r = relax.conv2d_integer %x, %y, %z, %u {out_dtype = i64} : (!relax.tensor<[n, 3, 8, 8], i8>, !relax.tensor<[4, 3, 3, 3], i8>, !relax.tensor<[], i8>, !relax.tensor<[], i8>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: conv2d_integer_C1_out_dtype.mlir:6:8: error: @f: relax.conv2d_integer (%r): expected no 'out_dtype' (C1), found i64; convert the result with relax.astype{{$}}
