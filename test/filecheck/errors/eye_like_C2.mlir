// RUN: not relax-opt %s 2>&1 | filecheck %s

// A vector has no diagonal.

relax.func @f(%x: !relax.tensor<[n], f32>) -> !relax.object {
  %r = relax.eye_like %x : (!relax.tensor<[n], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: eye_like_C2.mlir:6:8: error: @f: relax.eye_like (%r): expected 'x' of rank 2 (C2), found rank 1; use relax.zeros_like{{$}}
