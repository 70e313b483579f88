// RUN: relax-opt %s --split-input-file --verify-diagnostics | filecheck %s

// The score is the seventh of six numbers.

relax.func @f(%x: !relax.tensor<[b, n, 6], f32>) -> !relax.object {
  %r0, %r1, %r2 = relax.get_valid_counts %x {score_index = 6 : i64} : (!relax.tensor<[b, n, 6], f32>) -> (!relax.tensor<*>, !relax.tensor<*>, !relax.tensor<*>)
  relax.return %r0 : !relax.tensor<*>
}

// CHECK: error: @f: relax.get_valid_counts (%r0, %r1, %r2): expected 'score_index' within a box (C3), found 7 and 6; correct 'score_index'{{$}}

// -----

// Only -1 says that there are no classes.

relax.func @f(%x: !relax.tensor<[b, n, 6], f32>) -> !relax.object {
  %r0, %r1, %r2 = relax.get_valid_counts %x {id_index = -2 : i64} : (!relax.tensor<[b, n, 6], f32>) -> (!relax.tensor<*>, !relax.tensor<*>, !relax.tensor<*>)
  relax.return %r0 : !relax.tensor<*>
}

// CHECK: error: @f: relax.get_valid_counts (%r0, %r1, %r2): expected id_index to be at least -1 (C3), found -2; correct id_index{{$}}

// -----

// The last coordinate is the seventh of six numbers.

relax.func @f(%x: !relax.tensor<[b, n, 6], f32>, %c: !relax.tensor<[b], i32>, %i: !relax.tensor<[b, n], i32>) -> !relax.object {
  %r0, %r1 = relax.non_max_suppression %x, %c, %i {coord_start = 3 : i64} : (!relax.tensor<[b, n, 6], f32>, !relax.tensor<[b], i32>, !relax.tensor<[b, n], i32>) -> (!relax.tensor<*>, !relax.tensor<*>)
  relax.return %r0 : !relax.tensor<*>
}

// CHECK: error: @f: relax.non_max_suppression (%r0, %r1): expected 'coord_start' within a box (C3), found 7 and 6; correct 'coord_start'{{$}}
