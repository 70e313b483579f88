// RUN: not relax-opt %s 2>&1 | filecheck %s

// The state holds the initial value.

relax.func @f(%c: !relax.tensor<[], i1>, %x: !relax.tensor<[?], f32>) -> !relax.object {
  %r = relax.while (%a = %x) : (!relax.tensor<[?], f32>) -> !relax.tensor<[3], f32> {
    relax.yield %c : !relax.tensor<[], i1>
  } do {
    relax.yield %a : !relax.tensor<[3], f32>
  }
  relax.return %r : !relax.tensor<[3], f32>
}

// CHECK: while_C3.mlir:6:8: error: @f: relax.while (%r): expected an initial value of type !relax.tensor<[3], f32> for %a (C3), found !relax.tensor<[?], f32>; declare a state that holds the values of all iterations, with '?' for sizes that change{{$}}
