// RUN: not relax-opt %s 2>&1 | filecheck %s

// The result has one scale.

relax.func @f(%x: !relax.tensor<[n, 4], i8>, %y: !relax.tensor<[], f32>, %z: !relax.tensor<[], i8>, %u: !relax.tensor<[4, m], i8>, %v: !relax.tensor<[], f32>, %w: !relax.tensor<[], i8>, %s: !relax.tensor<[m], f32>, %t: !relax.tensor<[], i8>) -> !relax.object {
  %r = relax.qlinear_matmul %x, %y, %z, %u, %v, %w, %s, %t : (!relax.tensor<[n, 4], i8>, !relax.tensor<[], f32>, !relax.tensor<[], i8>, !relax.tensor<[4, m], i8>, !relax.tensor<[], f32>, !relax.tensor<[], i8>, !relax.tensor<[m], f32>, !relax.tensor<[], i8>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: qlinear_matmul_C5.mlir:6:8: error: @f: relax.qlinear_matmul (%r): expected 'result_scale' of rank 0 (C5), found rank 1; take one element{{$}}
