// RUN: relax-opt %s -p relax-canonicalize-bindings | filecheck %s

// %e stands outside of the branch, but the let has it evaluated in it, not further in; %u sinks, and
// %n is evaluated here although all that uses it directly is %u.
relax.func @pinned(%x: !relax.tensor<[], f32>, %c: !relax.tensor<[], i1>) -> !relax.tensor<[], f32> {
  %g = relax.graph {
    %e = relax.exp %x : (!relax.tensor<[], f32>) -> !relax.tensor<[], f32>
    %n = relax.negative %x : (!relax.tensor<[], f32>) -> !relax.tensor<[], f32>
    %w = relax.let %n : (!relax.tensor<[], f32>) -> !relax.tensor<[], f32>
    %u = relax.tanh %w : (!relax.tensor<[], f32>) -> !relax.tensor<[], f32>
    %r = relax.if %c : (!relax.tensor<[], i1>) -> !relax.tensor<[], f32> {
      %v = relax.let %e : (!relax.tensor<[], f32>) -> !relax.tensor<[], f32>
      %s = relax.if %c : (!relax.tensor<[], i1>) -> !relax.tensor<[], f32> {
        relax.yield %v : !relax.tensor<[], f32>
      } else {
        relax.yield %u : !relax.tensor<[], f32>
      }
      relax.yield %s : !relax.tensor<[], f32>
    } else {
      relax.yield %x : !relax.tensor<[], f32>
    }
    relax.output %r : !relax.tensor<[], f32>
  }
  relax.return %g : !relax.tensor<[], f32>
}
// CHECK-LABEL: relax.func @pinned(
// CHECK:         %n = relax.negative %x
// CHECK-NEXT:    %w = relax.let %n
// CHECK-NEXT:    %u = relax.tanh %w
// CHECK-NEXT:    %r = relax.if %c
// CHECK-NEXT:      %v = relax.let %e
// CHECK-NEXT:      %s = relax.if %c
// CHECK-NEXT:        relax.yield %v
// CHECK-NEXT:      } else {
// CHECK-NEXT:        relax.yield %u
