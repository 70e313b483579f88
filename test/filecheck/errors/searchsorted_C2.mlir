// RUN: relax-opt %s --split-input-file --verify-diagnostics | filecheck %s

// Either one row for all values, or one for each row of values.

relax.func @f(%x: !relax.tensor<[2, 4], f32>, %y: !relax.tensor<[n, 2, 3], f32>) -> !relax.object {
  %r = relax.searchsorted %x, %y : (!relax.tensor<[2, 4], f32>, !relax.tensor<[n, 2, 3], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: error: @f: relax.searchsorted (%r): expected sorted_sequence of rank 1 or 3 (C2), found rank 2; reshape one of the operands{{$}}

// -----

// There is no row for the third row of values.

relax.func @f(%x: !relax.tensor<[2, 4], f32>, %y: !relax.tensor<[3, 4], f32>) -> !relax.object {
  %r = relax.searchsorted %x, %y : (!relax.tensor<[2, 4], f32>, !relax.tensor<[3, 4], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: error: @f: relax.searchsorted (%r): expected equal sizes of dimension 0 (C2), found 2 and 3; slice, pad or reshape one of the operands{{$}}
