// RUN: not relax-opt %s 2>&1 | filecheck %s

// The batches do not broadcast.

relax.func @f(%x: !relax.tensor<[2, n, 4], f32>, %y: !relax.tensor<[3, 4, m], f32>) -> !relax.object {
  %r = relax.matmul %x, %y : (!relax.tensor<[2, n, 4], f32>, !relax.tensor<[3, 4, m], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: matmul_C4.mlir:6:8: error: @f: relax.matmul (%r): expected sizes that broadcast: equal, or one of them 1 (C4), found 2 and 3; reshape or slice one of the operands{{$}}
