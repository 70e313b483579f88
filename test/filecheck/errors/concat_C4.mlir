// RUN: not relax-opt %s 2>&1 | filecheck %s

// Rows of 3 and of 4 make no matrix.

relax.func @f(%x: !relax.tensor<[n, 3], f32>, %y: !relax.tensor<[m, 4], f32>) -> !relax.object {
  %r = relax.concat %x, %y {axis = 0 : i64} : (!relax.tensor<[n, 3], f32>, !relax.tensor<[m, 4], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: concat_C4.mlir:6:8: error: @f: relax.concat (%r): expected equal sizes along axis 1 (C4), found 3 and 4; slice, pad or reshape one of the operands{{$}}
