// RUN: not relax-opt %s 2>&1 | filecheck %s

// Integers have no softmax.

relax.func @f(%x: !relax.tensor<[b, n, 4, 8], i32>, %y: !relax.tensor<[b, n, 4, 8], i32>, %z: !relax.tensor<[b, n, 4, 8], i32>) -> !relax.object {
  %r = relax.attention %x, %y, %z : (!relax.tensor<[b, n, 4, 8], i32>, !relax.tensor<[b, n, 4, 8], i32>, !relax.tensor<[b, n, 4, 8], i32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: attention_C1.mlir:6:8: error: @f: relax.attention (%r): expected a floating-point element type of 'query' (C1), found i32; convert with relax.astype first{{$}}
