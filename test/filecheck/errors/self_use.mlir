// RUN: not relax-opt %s 2>&1 | filecheck %s

// An op cannot use its own result.

relax.func @f(%x: !relax.tensor<[n, 4], f32>) -> !relax.object {
  %y = relax.exp %y : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4], f32>
  relax.return %x : !relax.tensor<[n, 4], f32>
}

// CHECK: self_use.mlir:6:8: error: @f: relax.exp (%y): expected operands defined before it (V1), found its own result %y; use another value{{$}}
