// RUN: not relax-opt %s 2>&1 | filecheck %s

// Two and three indices do not go together.

relax.func @f(%a: !relax.tensor<[n, m], f32>, %b: !relax.tensor<[2], i64>, %c: !relax.tensor<[3], i64>, %d: !relax.tensor<[], f32>) -> !relax.object {
  %r = relax.index_put %a, %b, %c, %d : (!relax.tensor<[n, m], f32>, !relax.tensor<[2], i64>, !relax.tensor<[3], i64>, !relax.tensor<[], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: index_put_C3.mlir:6:8: error: @f: relax.index_put (%r): expected sizes that broadcast: equal, or one of them 1 (C3), found 2 and 3; reshape or slice one of the operands{{$}}
