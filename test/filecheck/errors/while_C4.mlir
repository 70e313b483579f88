// RUN: not relax-opt %s 2>&1 | filecheck %s

// The state holds what the body yields.

relax.func @f(%c: !relax.tensor<[], i1>, %x: !relax.tensor<[n], f32>) -> !relax.object {
  %r = relax.while (%a = %x) : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
    relax.yield %c : !relax.tensor<[], i1>
  } do {
    %y = relax.concat %a, %a {axis = 0 : i64} : (!relax.tensor<[n], f32>, !relax.tensor<[n], f32>) -> !relax.tensor<[2 * n], f32>
    relax.yield %y : !relax.tensor<[2 * n], f32>
  }
  relax.return %r : !relax.tensor<[n], f32>
}

// CHECK: while_C4.mlir:10:5: error: @f: relax.while (%r): expected a next state of type !relax.tensor<[n], f32> for %a (C4), found !relax.tensor<[2 * n], f32>; declare a state that holds the values of all iterations, with '?' for sizes that change{{$}}
