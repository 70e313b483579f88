// RUN: not relax-opt %s 2>&1 | filecheck %s

// alpha is no vector.

relax.func @f(%x: !relax.tensor<[n, 4], f32>, %a: !relax.tensor<[4, 1], f32>) -> !relax.object {
  %r = relax.prelu %x, %a {axis = 1 : i64} : (!relax.tensor<[n, 4], f32>, !relax.tensor<[4, 1], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: prelu_C3_rank.mlir:6:8: error: @f: relax.prelu (%r): expected 'alpha' of rank 1 (C3), found rank 2; flatten it first{{$}}
