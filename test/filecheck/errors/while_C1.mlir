// RUN: not relax-opt %s 2>&1 | filecheck %s

// The condition of a loop yields one boolean.

relax.func @f(%x: !relax.tensor<[n], f32>) -> !relax.object {
  %r = relax.while (%a = %x) : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
    relax.yield %a : !relax.tensor<[n], f32>
  } do {
    relax.yield %a : !relax.tensor<[n], f32>
  }
  relax.return %r : !relax.tensor<[n], f32>
}

// CHECK: while_C1.mlir:6:8: error: @f: relax.while (%r): expected a condition that yields an i1 or a !relax.tensor<[], i1> (C1), found !relax.tensor<[n], f32>; reduce it to one boolean{{$}}
