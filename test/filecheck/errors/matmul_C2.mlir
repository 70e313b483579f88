// RUN: not relax-opt %s 2>&1 | filecheck %s

// A number is no matrix.

relax.func @f(%x: !relax.tensor<[4, 4], f32>, %y: !relax.tensor<[], f32>) -> !relax.object {
  %r = relax.matmul %x, %y : (!relax.tensor<[4, 4], f32>, !relax.tensor<[], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: matmul_C2.mlir:6:8: error: @f: relax.matmul (%r): expected operands of rank 1 or more (C2), found a tensor of rank 0; use relax.multiply{{$}}
