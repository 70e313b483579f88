// RUN: not relax-opt %s 2>&1 | filecheck %s

// The state is visible in the loop alone.

relax.func @f(%c: !relax.tensor<[], i1>, %x: !relax.tensor<[n], f32>) -> !relax.object {
  %r = relax.while (%a = %x) : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
    %y = relax.exp %a : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
    relax.yield %c : !relax.tensor<[], i1>
  } do {
    relax.yield %y : !relax.tensor<[n], f32>
  }
  relax.return %r : !relax.tensor<[n], f32>
}

// CHECK: while_state_hidden.mlir:10:17: error: expected values that are defined in their region or around it (V1), found %y, which no op there defines; define it, or pass it out of its block with relax.output{{$}}
