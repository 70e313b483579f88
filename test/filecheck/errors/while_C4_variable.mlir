// RUN: not relax-opt %s 2>&1 | filecheck %s

// A symbolic variable of the body says nothing outside.

relax.func @f(%c: !relax.tensor<[], i1>, %x: !relax.tensor<[n], f32>) -> !relax.object {
  %r = relax.while (%a = %x) : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
    relax.yield %c : !relax.tensor<[], i1>
  } do {
    %y = relax.match_cast %a : !relax.tensor<[n], f32> -> !relax.tensor<[m], f32>
    relax.yield %y : !relax.tensor<[m], f32>
  }
  relax.return %r : !relax.tensor<[n], f32>
}

// CHECK: while_C4_variable.mlir:10:5: error: @f: relax.while (%r): expected a next state of type !relax.tensor<[n], f32> for %a (C4), found !relax.tensor<[?], f32>; declare a state that holds the values of all iterations, with '?' for sizes that change{{$}}
