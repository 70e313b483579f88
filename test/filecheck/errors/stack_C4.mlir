// RUN: not relax-opt %s 2>&1 | filecheck %s

// Rows of n and of n + 1 make no matrix.

relax.func @f(%x: !relax.tensor<[n], f32>, %y: !relax.tensor<[n + 1], f32>) -> !relax.object {
  %r = relax.stack %x, %y {axis = 0 : i64} : (!relax.tensor<[n], f32>, !relax.tensor<[n + 1], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: stack_C4.mlir:6:8: error: @f: relax.stack (%r): expected equal sizes along axis 0 (C4), found n and n + 1; slice, pad or reshape one of the operands{{$}}
