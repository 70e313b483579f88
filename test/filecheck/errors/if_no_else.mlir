// RUN: not relax-opt %s 2>&1 | filecheck %s

// An `if` has both branches.

relax.func @f(%c: !relax.tensor<[], i1>, %x: !relax.tensor<[], f32>) -> !relax.object {
  %r = relax.if %c : (!relax.tensor<[], i1>) -> !relax.tensor<[], f32> {
    relax.yield %x : !relax.tensor<[], f32>
  }
  relax.return %r : !relax.tensor<[], f32>
}

// CHECK: if_no_else.mlir:9:3: error: relax.if: expected 'else' and a second branch, found neither; yield what the result is where the condition does not hold{{$}}
