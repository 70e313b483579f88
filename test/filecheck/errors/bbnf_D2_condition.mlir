// RUN: not relax-opt %s -p relax-check-basic-block-normal-form 2>&1 | filecheck %s

// The document's discussion: a node that the condition and both branches use.

relax.func @main(%x: !relax.tensor<[], f32>, %y: !relax.tensor<[], f32>) -> !relax.tensor<[], f32> {
  %g = relax.graph {
    %sum = relax.add %x, %y : (!relax.tensor<[], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[], f32>
    %zero = relax.constant dense<0.0> : tensor<f32>
    %c = relax.less %sum, %zero : (!relax.tensor<[], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[], i1>
    %r = relax.if %c : (!relax.tensor<[], i1>) -> !relax.tensor<[], f32> {
      %p = relax.multiply %sum, %x : (!relax.tensor<[], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[], f32>
      relax.yield %p : !relax.tensor<[], f32>
    } else {
      %q = relax.multiply %sum, %y : (!relax.tensor<[], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[], f32>
      relax.yield %q : !relax.tensor<[], f32>
    }
    relax.output %r : !relax.tensor<[], f32>
  }
  relax.return %g : !relax.tensor<[], f32>
}

// CHECK: error: @main: %sum (relax.add) is used in relax.graph (%g) and in the then-branch of relax.if (%r), but is no variable: expected a node that one block alone uses (D2), found two blocks; insert a relax.let after it, in relax.graph (%g), and use that
