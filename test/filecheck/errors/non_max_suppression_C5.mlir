// RUN: relax-opt %s --split-input-file --verify-diagnostics | filecheck %s

// The boxes are the only result.

relax.func @f(%x: !relax.tensor<[b, n, 6], f32>, %c: !relax.tensor<[b], i32>, %i: !relax.tensor<[b, n], i32>) -> !relax.object {
  %r0, %r1 = relax.non_max_suppression %x, %c, %i {return_indices = false} : (!relax.tensor<[b, n, 6], f32>, !relax.tensor<[b], i32>, !relax.tensor<[b, n], i32>) -> (!relax.tensor<*>, !relax.tensor<*>)
  relax.return %r0 : !relax.tensor<*>
}

// CHECK: error: @f: relax.non_max_suppression (%r0, %r1): expected 1 result (C5), found 2; correct their number{{$}}
