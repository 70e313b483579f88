// RUN: relax-opt %s -p relax-to-graph-normal-form,relax-propagate-shapes,relax-to-a-normal-form --split-input-file | filecheck %s

// The closure binds `s`: the match in it checks, and defines nothing that %z would wait for.

relax.func @main(%j: !relax.tensor<[2], f32>) -> !relax.tensor<[2], f32> {
  %f = relax.closure [s] (%y: !relax.tensor<[s], f32>) -> !relax.tensor<[s], f32> {
    %z = relax.exp %y : (!relax.tensor<[s], f32>) -> !relax.tensor<[s], f32>
    relax.return %z : !relax.tensor<[s], f32>
  }
  %r = relax.call_closure %f, %j : (!relax.func<[s] (!relax.tensor<[s], f32>) -> !relax.tensor<[s], f32>>, !relax.tensor<[2], f32>) -> !relax.tensor<[2], f32>
  relax.return %r : !relax.tensor<[2], f32>
}

// CHECK-LABEL: @main
// CHECK:      %z = relax.exp %y
// CHECK-NEXT: relax.match_cast %z : !relax.tensor<[s], f32> -> !relax.tensor<[s], f32>
// CHECK-NEXT: relax.return

// -----

// `s` of the closure and `s` of the match are two variables: one graph cannot hold both.

relax.func @held(%x: !relax.tensor<[?], f32>) -> !relax.tensor<[?], f32> {
  %f = relax.graph {
    %g = relax.binding_block {
      %h = relax.closure [s] (%v: !relax.tensor<[s], f32>) -> !relax.tensor<[s], f32> {
        relax.return %v : !relax.tensor<[s], f32>
      }
      relax.output %h : !relax.func<[s] (!relax.tensor<[s], f32>) -> !relax.tensor<[s], f32>>
    }
    relax.output %g : !relax.func<[s] (!relax.tensor<[s], f32>) -> !relax.tensor<[s], f32>>
  }
  %y = relax.match_cast %x : !relax.tensor<[?], f32> -> !relax.tensor<[s], f32>
  %z = relax.call_closure %f, %y : (!relax.func<[s] (!relax.tensor<[s], f32>) -> !relax.tensor<[s], f32>>, !relax.tensor<[s], f32>) -> !relax.tensor<[s], f32>
  relax.return %z : !relax.tensor<[s], f32>
}

// CHECK-LABEL: @held
// CHECK:      relax.closure [s]
// CHECK:      %y = relax.match_cast %x : !relax.tensor<[?], f32> -> !relax.tensor<[s], f32>
