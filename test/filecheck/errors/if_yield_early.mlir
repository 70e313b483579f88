// RUN: not relax-opt %s 2>&1 | filecheck %s

// The relax.yield of a branch is its last op.

relax.func @f(%c: !relax.tensor<[], i1>, %x: !relax.tensor<[], f32>) -> !relax.object {
  %r = relax.if %c : (!relax.tensor<[], i1>) -> !relax.tensor<[], f32> {
    relax.yield %x : !relax.tensor<[], f32>
    relax.yield %x : !relax.tensor<[], f32>
  } else {
    relax.yield %x : !relax.tensor<[], f32>
  }
  relax.return %r : !relax.tensor<[], f32>
}

// CHECK: if_yield_early.mlir:7:5: error: @f: relax.yield: expected the end of the block after it, found another op; move it to the end{{$}}
