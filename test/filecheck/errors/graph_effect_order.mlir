// RUN: not relax-opt %s 2>&1 | filecheck %s

// The document's ill-formed graph: the text alone would order the store and the sum.

relax.func @f(%x: !relax.tensor<[], f32>) -> !relax.tensor<[], f32> {
  %g = relax.graph {
    %one = relax.call_pure_packed "load"(%x) : (!relax.tensor<[], f32>) -> !relax.tensor<[], f32>
    %two = relax.constant dense<2.0> : tensor<f32>
    %sum = relax.add %one, %two : (!relax.tensor<[], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[], f32>
    %stored = relax.call_packed "store"(%x, %sum) : (!relax.tensor<[], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[], f32>
    %three = relax.add %one, %one : (!relax.tensor<[], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[], f32>
    relax.output %three : !relax.tensor<[], f32>
  }
  relax.return %g : !relax.tensor<[], f32>
}

// CHECK: error: @f: relax.call_packed (%stored): expected ops without effects in relax.graph (E1), found one that has or may have an effect; move it to a relax.binding_block
