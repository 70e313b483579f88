// RUN: not relax-opt %s -p relax-legalize 2>&1 | filecheck %s

// Loops need a known shape: the message names the operator, what is unknown, and the mend.

relax.func @f(%x: !relax.tensor<[n, ?], f32>) -> !relax.tensor<[n, ?], f32> {
  %y = relax.exp %x : (!relax.tensor<[n, ?], f32>) -> !relax.tensor<[n, ?], f32>
  relax.return %y : !relax.tensor<[n, ?], f32>
}

// CHECK: relax.exp: cannot be legalized: expected a known shape and element type of operand 'x', found !relax.tensor<[n, ?], f32>, whose dimension 1 is unknown; insert a relax.match_cast that names it, as relax-bind-dynamic-dims does where it can
