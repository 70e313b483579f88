// RUN: not relax-opt %s 2>&1 | filecheck %s

// A value of a branch is not visible after it.

relax.func @f(%c: !relax.tensor<[], i1>, %x: !relax.tensor<[], f32>) -> !relax.object {
  %r = relax.if %c : (!relax.tensor<[], i1>) -> !relax.tensor<[], f32> {
    %y = relax.exp %x : (!relax.tensor<[], f32>) -> !relax.tensor<[], f32>
    relax.yield %y : !relax.tensor<[], f32>
  } else {
    relax.yield %x : !relax.tensor<[], f32>
  }
  %z = relax.exp %y : (!relax.tensor<[], f32>) -> !relax.tensor<[], f32>
  relax.return %z : !relax.tensor<[], f32>
}

// CHECK: value_of_branch.mlir:12:18: error: expected values that are defined in their region or around it (V1), found %y, which no op there defines; define it, or pass it out of its block with relax.output{{$}}
