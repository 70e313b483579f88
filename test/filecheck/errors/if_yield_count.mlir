// RUN: not relax-opt %s 2>&1 | filecheck %s

// A branch yields one value.

relax.func @f(%c: !relax.tensor<[], i1>, %x: !relax.tensor<[n], f32>) -> !relax.object {
  %r = relax.if %c : (!relax.tensor<[], i1>) -> !relax.tensor<[n], f32> {
    relax.yield %x, %x : !relax.tensor<[n], f32>, !relax.tensor<[n], f32>
  } else {
    relax.yield %x : !relax.tensor<[n], f32>
  }
  relax.return %r : !relax.tensor<[n], f32>
}

// CHECK: if_yield_count.mlir:6:8: error: @f: relax.if (%r): expected branches that yield one value (C2), found 2; put them into a relax.tuple{{$}}
