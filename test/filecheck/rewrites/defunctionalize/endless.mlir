// RUN: not relax-opt %s -p relax-lambda-lift,relax-defunctionalize 2>&1 | filecheck %s

// Each call wraps the function value into another one: no tuple is long enough for all of them.
relax.func private @wrap(%c: !relax.tensor<[], i1>, %f: !relax.func<() -> !relax.tensor<[], i1>>) -> !relax.tensor<[], i1> {
  %g = relax.closure () -> !relax.tensor<[], i1> {
    %0 = relax.call_closure %f : (!relax.func<() -> !relax.tensor<[], i1>>) -> !relax.tensor<[], i1>
    relax.return %0 : !relax.tensor<[], i1>
  }
  %r = relax.call @wrap(%c, %g) : (!relax.tensor<[], i1>, !relax.func<() -> !relax.tensor<[], i1>>) -> !relax.tensor<[], i1>
  relax.return %r : !relax.tensor<[], i1>
}
relax.func @main(%c: !relax.tensor<[], i1>) -> !relax.tensor<[], i1> {
  %f = relax.closure () -> !relax.tensor<[], i1> {
    relax.return %c : !relax.tensor<[], i1>
  }
  %r = relax.call @wrap(%c, %f) : (!relax.tensor<[], i1>, !relax.func<() -> !relax.tensor<[], i1>>) -> !relax.tensor<[], i1>
  relax.return %r : !relax.tensor<[], i1>
}
// CHECK: error: relax.make_closure (%g): expected a function value of finite size, found one that may capture one like itself (through @wrap_g); write the recursion as a function that calls itself, or inline the functions that it passes through with relax-inline-private-functions before relax-lambda-lift
