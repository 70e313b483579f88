// RUN: not relax-opt %s 2>&1 | filecheck %s

// Nothing is known of the numbers of heads.

relax.func @f(%x: !relax.tensor<[b, n, h, 8], f32>, %y: !relax.tensor<[b, n, g, 8], f32>, %z: !relax.tensor<[b, n, 4, 8], f32>) -> !relax.object {
  %r = relax.attention %x, %y, %z : (!relax.tensor<[b, n, h, 8], f32>, !relax.tensor<[b, n, g, 8], f32>, !relax.tensor<[b, n, 4, 8], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: attention_C4_unproved.mlir:6:8: error: @f: relax.attention (%r): expected the heads of 'key' to divide those of 'query', provably (C4), found g and h; narrow the types by a relax.match_cast, or reshape{{$}}
