// RUN: not relax-opt %s 2>&1 | filecheck %s

// A result of 32 bits.

relax.func @f(%x: !relax.tensor<[n, 4], i8>, %y: !relax.tensor<[], f32>, %z: !relax.tensor<[], i8>, %u: !relax.tensor<[4, m], i8>, %v: !relax.tensor<[], f32>, %w: !relax.tensor<[], i8>, %s: !relax.tensor<[], f32>, %t: !relax.tensor<[], i32>) -> !relax.object {
  %r = relax.qlinear_matmul %x, %y, %z, %u, %v, %w, %s, %t : (!relax.tensor<[n, 4], i8>, !relax.tensor<[], f32>, !relax.tensor<[], i8>, !relax.tensor<[4, m], i8>, !relax.tensor<[], f32>, !relax.tensor<[], i8>, !relax.tensor<[], f32>, !relax.tensor<[], i32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: qlinear_matmul_C6.mlir:6:8: error: @f: relax.qlinear_matmul (%r): expected 'result_zero_point' of i8 or ui8 (C6), found i32; convert with relax.astype first{{$}}
