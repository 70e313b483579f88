// RUN: not relax-opt %s 2>&1 | filecheck %s

// A vector is no number.

relax.func @f(%x: !relax.tensor<[n], f32>, %y: !relax.tensor<[1], f32>) -> !relax.object {
  %r = relax.full_like %x, %y : (!relax.tensor<[n], f32>, !relax.tensor<[1], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: full_like_C2.mlir:6:8: error: @f: relax.full_like (%r): expected 'fill_value' of rank 0 (C2), found rank 1; take one element of it{{$}}
