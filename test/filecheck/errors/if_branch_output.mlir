// RUN: not relax-opt %s 2>&1 | filecheck %s

// A branch ends in relax.yield.

relax.func @f(%c: !relax.tensor<[], i1>, %x: !relax.tensor<[], f32>) -> !relax.object {
  %r = relax.if %c : (!relax.tensor<[], i1>) -> !relax.tensor<[], f32> {
    relax.output %x : !relax.tensor<[], f32>
  } else {
    relax.yield %x : !relax.tensor<[], f32>
  }
  relax.return %r : !relax.tensor<[], f32>
}

// CHECK: if_branch_output.mlir:6:72: error: relax.if: expected one block that ends in relax.yield (C2), found one that ends in relax.output; end it with relax.yield and the value that it returns{{$}}
