// RUN: not relax-opt %s 2>&1 | filecheck %s

// Three heads cannot serve four.

relax.func @f(%x: !relax.tensor<[b, n, 4, 8], f32>, %y: !relax.tensor<[b, n, 4, 8], f32>, %z: !relax.tensor<[b, n, 3, 8], f32>) -> !relax.object {
  %r = relax.attention %x, %y, %z : (!relax.tensor<[b, n, 4, 8], f32>, !relax.tensor<[b, n, 4, 8], f32>, !relax.tensor<[b, n, 3, 8], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: attention_C4.mlir:6:8: error: @f: relax.attention (%r): expected the heads of 'value' to divide those of 'query', provably (C4), found 3 and 4; narrow the types by a relax.match_cast, or reshape{{$}}
