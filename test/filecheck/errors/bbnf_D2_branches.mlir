// RUN: not relax-opt %s -p relax-check-basic-block-normal-form 2>&1 | filecheck %s

// The document's graph form: a node that both branches use.

relax.func @graph(%x: !relax.tensor<[], f32>) -> !relax.tensor<[], f32> {
  %g = relax.graph {
    %one = relax.constant dense<1.0> : tensor<f32>
    %two = relax.constant dense<2.0> : tensor<f32>
    %a = relax.add %x, %one : (!relax.tensor<[], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[], f32>
    %c = relax.equal %x, %two : (!relax.tensor<[], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[], i1>
    %r = relax.if %c : (!relax.tensor<[], i1>) -> !relax.tensor<[], f32> {
      %m = relax.multiply %a, %two : (!relax.tensor<[], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[], f32>
      relax.yield %m : !relax.tensor<[], f32>
    } else {
      relax.yield %a : !relax.tensor<[], f32>
    }
    relax.output %r : !relax.tensor<[], f32>
  }
  relax.return %g : !relax.tensor<[], f32>
}

// CHECK: error: @graph: %a (relax.add) is used in the then-branch of relax.if (%r) and in the else-branch of relax.if (%r), but is no variable: expected a node that one block alone uses (D2), found two blocks; insert a relax.let after it, in relax.graph (%g), and use that
