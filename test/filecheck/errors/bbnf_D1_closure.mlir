// RUN: not relax-opt %s -p relax-check-basic-block-normal-form 2>&1 | filecheck %s

// A node outside of the closure that alone uses it.

relax.func @closure(%x: !relax.tensor<[], f32>) -> !relax.object {
  %g = relax.graph {
    %l = relax.exp %x : (!relax.tensor<[], f32>) -> !relax.tensor<[], f32>
    %f = relax.closure (%y: !relax.tensor<[], f32>) -> !relax.tensor<[], f32> {
      %s = relax.add %y, %l : (!relax.tensor<[], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[], f32>
      relax.return %s : !relax.tensor<[], f32>
    }
    relax.output %f : !relax.func<(!relax.tensor<[], f32>) -> !relax.tensor<[], f32>>
  }
  relax.return %g : !relax.func<(!relax.tensor<[], f32>) -> !relax.tensor<[], f32>>
}

// CHECK: error: @closure: %l (relax.exp) is in relax.graph (%g), but is used only in the body of relax.closure (%f), and is no variable: expected a node in the block that evaluates it (D1)
