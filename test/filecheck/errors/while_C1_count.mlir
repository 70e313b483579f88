// RUN: not relax-opt %s 2>&1 | filecheck %s

// It yields nothing else.

relax.func @f(%c: !relax.tensor<[], i1>, %x: !relax.tensor<[n], f32>) -> !relax.object {
  %r = relax.while (%a = %x) : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
    relax.yield %c, %a : !relax.tensor<[], i1>, !relax.tensor<[n], f32>
  } do {
    relax.yield %a : !relax.tensor<[n], f32>
  }
  relax.return %r : !relax.tensor<[n], f32>
}

// CHECK: while_C1_count.mlir:6:8: error: @f: relax.while (%r): expected a condition that yields an i1 or a !relax.tensor<[], i1> (C1), found !relax.tensor<[], i1>, !relax.tensor<[n], f32>; reduce it to one boolean{{$}}
