// RUN: not relax-opt %s 2>&1 | filecheck %s

// A value of a branch is not visible in the other one.

relax.func @f(%c: !relax.tensor<[], i1>, %x: !relax.tensor<[], f32>) -> !relax.object {
  %r = relax.if %c : (!relax.tensor<[], i1>) -> !relax.tensor<[], f32> {
    %y = relax.exp %x : (!relax.tensor<[], f32>) -> !relax.tensor<[], f32>
    relax.yield %y : !relax.tensor<[], f32>
  } else {
    relax.yield %y : !relax.tensor<[], f32>
  }
  relax.return %r : !relax.tensor<[], f32>
}

// CHECK: value_of_other_branch.mlir:10:17: error: expected values that are defined in their region or around it (V1), found %y, which no op there defines; define it, or pass it out of its block with relax.output{{$}}
