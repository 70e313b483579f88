// RUN: not relax-opt %s 2>&1 | filecheck %s

// Each value of the state has its initial value.

relax.func @f(%c: !relax.tensor<[], i1>, %x: !relax.tensor<[n], f32>) -> !relax.object {
  %r = relax.while (%x) : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
    relax.yield %c : !relax.tensor<[], i1>
  } do {
    relax.yield %x : !relax.tensor<[n], f32>
  }
  relax.return %r : !relax.tensor<[n], f32>
}

// CHECK: while_no_initial.mlir:6:23: error: relax.while: expected '=' and an initial value for each value of the state, found neither; write relax.while (%x = %x0, ...){{$}}
