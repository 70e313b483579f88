// RUN: relax-opt %s -p relax-canonicalize-bindings | filecheck %s

// `s` of the closure and `s` of the match are two variables: the blocks stay apart.

relax.func @merge(%x: !relax.tensor<[?], f32>) -> !relax.tensor<[?], f32> {
  %f = relax.dataflow {
    %g = relax.closure [s] (%v: !relax.tensor<[s], f32>) -> !relax.tensor<[], f32> {
      %c = relax.constant dense<0.5> : tensor<f32>
      relax.return %c : !relax.tensor<[], f32>
    }
    relax.output %g : !relax.func<[s] (!relax.tensor<[s], f32>) -> !relax.tensor<[], f32>>
  }
  %z = relax.dataflow {
    %y = relax.match_cast %x : !relax.tensor<[?], f32> -> !relax.tensor<[s], f32>
    %z = relax.exp %y : (!relax.tensor<[s], f32>) -> !relax.tensor<[s], f32>
    relax.output %z : !relax.tensor<[s], f32>
  }
  %w = relax.call_closure %f, %z : (!relax.func<[s] (!relax.tensor<[s], f32>) -> !relax.tensor<[], f32>>, !relax.tensor<[s], f32>) -> !relax.tensor<[], f32>
  %r = relax.multiply %z, %w : (!relax.tensor<[s], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[s], f32>
  relax.return %r : !relax.tensor<[s], f32>
}

// CHECK:      %f = relax.dataflow {
// CHECK:      %z = relax.dataflow {
