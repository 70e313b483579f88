// RUN: relax-opt %s --split-input-file --verify-diagnostics | filecheck %s

// There is a count for each image.

relax.func @f(%x: !relax.tensor<[b, n, 6], f32>, %c: !relax.tensor<[b, 1], i32>, %i: !relax.tensor<[b, n], i32>) -> !relax.object {
  %r0, %r1 = relax.non_max_suppression %x, %c, %i : (!relax.tensor<[b, n, 6], f32>, !relax.tensor<[b, 1], i32>, !relax.tensor<[b, n], i32>) -> (!relax.tensor<*>, !relax.tensor<*>)
  relax.return %r0 : !relax.tensor<*>
}

// CHECK: error: @f: relax.non_max_suppression (%r0, %r1): expected 'valid_count' of rank 1 (C4), found rank 2; reshape it{{$}}
