// RUN: relax-opt %s --split-input-file --verify-diagnostics | filecheck %s

// Counts are numbers of boxes.

relax.func @f(%x: !relax.tensor<[b, n, 6], f32>, %c: !relax.tensor<[b], f32>, %i: !relax.tensor<[b, n], i32>) -> !relax.object {
  %r0, %r1 = relax.non_max_suppression %x, %c, %i : (!relax.tensor<[b, n, 6], f32>, !relax.tensor<[b], f32>, !relax.tensor<[b, n], i32>) -> (!relax.tensor<*>, !relax.tensor<*>)
  relax.return %r0 : !relax.tensor<*>
}

// CHECK: error: @f: relax.non_max_suppression (%r0, %r1): expected an integer element type of 'valid_count' (C4), found f32; convert with relax.astype first{{$}}

// -----

// A box has no index.

relax.func @f(%x: !relax.tensor<[2, 9, 6], f32>, %c: !relax.tensor<[2], i32>, %i: !relax.tensor<[2, 8], i32>) -> !relax.object {
  %r0, %r1 = relax.non_max_suppression %x, %c, %i : (!relax.tensor<[2, 9, 6], f32>, !relax.tensor<[2], i32>, !relax.tensor<[2, 8], i32>) -> (!relax.tensor<*>, !relax.tensor<*>)
  relax.return %r0 : !relax.tensor<*>
}

// CHECK: error: @f: relax.non_max_suppression (%r0, %r1): expected an element of 'indices' for each box (C4), found 8 for 9; slice or pad 'indices'{{$}}

// -----

// There are more images than counts.

relax.func @f(%x: !relax.tensor<[2, 9, 6], f32>, %c: !relax.tensor<[1], i32>, %i: !relax.tensor<[2, 9], i32>) -> !relax.object {
  %r0, %r1 = relax.non_max_suppression %x, %c, %i : (!relax.tensor<[2, 9, 6], f32>, !relax.tensor<[1], i32>, !relax.tensor<[2, 9], i32>) -> (!relax.tensor<*>, !relax.tensor<*>)
  relax.return %r0 : !relax.tensor<*>
}

// CHECK: error: @f: relax.non_max_suppression (%r0, %r1): expected 'data' and 'valid_count' of one batch size (C4), found 1 for 2; slice one of them{{$}}
