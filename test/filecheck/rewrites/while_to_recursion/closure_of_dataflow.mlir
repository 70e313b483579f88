// RUN: relax-opt %s -p relax-while-to-recursion | filecheck %s

// The order of a closure's ops is free in a dataflow block, that of a function is not.
// CHECK:      relax.func private @main_loop(
// CHECK:      %t = relax.tanh %a
// CHECK-NEXT: relax.call @main_loop(%c, %t)
relax.func @main(%x: !relax.tensor<[n], f32>, %c: !relax.tensor<[], i1>) -> !relax.tensor<[n], f32> {
  %y = relax.dataflow {
    %f = relax.closure (%p: !relax.tensor<[n], f32>) -> !relax.tensor<[?], f32> {
      %r = relax.while (%a = %p) : (!relax.tensor<[n], f32>) -> (!relax.tensor<[?], f32>) {
        relax.yield %c : !relax.tensor<[], i1>
      } do {
        %t = relax.tanh %b : (!relax.tensor<[?], f32>) -> !relax.tensor<[?], f32>
        %b = relax.let %a : (!relax.tensor<[?], f32>) -> !relax.tensor<[?], f32>
        relax.yield %t : !relax.tensor<[?], f32>
      }
      relax.return %r : !relax.tensor<[?], f32>
    }
    %z = relax.call_closure %f, %x : (!relax.func<(!relax.tensor<[n], f32>) -> !relax.tensor<[?], f32>>, !relax.tensor<[n], f32>) -> !relax.tensor<[?], f32>
    %u = relax.match_cast %z : !relax.tensor<[?], f32> -> !relax.tensor<[n], f32>
    relax.output %u : !relax.tensor<[n], f32>
  }
  relax.return %y : !relax.tensor<[n], f32>
}
