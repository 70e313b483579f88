// RUN: not relax-opt %s -p relax-check-basic-block-normal-form 2>&1 | filecheck %s

// A node outside of the one branch that evaluates it.

relax.func @f(%x: !relax.tensor<[], f32>, %c: !relax.tensor<[], i1>) -> !relax.tensor<[], f32> {
  %g = relax.graph {
    %a = relax.exp %x : (!relax.tensor<[], f32>) -> !relax.tensor<[], f32>
    %r = relax.if %c : (!relax.tensor<[], i1>) -> !relax.tensor<[], f32> {
      relax.yield %a : !relax.tensor<[], f32>
    } else {
      relax.yield %x : !relax.tensor<[], f32>
    }
    relax.output %r : !relax.tensor<[], f32>
  }
  relax.return %g : !relax.tensor<[], f32>
}

// CHECK: error: @f: %a (relax.exp) is in relax.graph (%g), but is used only in the then-branch of relax.if (%r), and is no variable: expected a node in the block that evaluates it (D1), found it in another; move it there, or insert a relax.let after it, in relax.graph (%g), and use that
