// RUN: not relax-opt %s 2>&1 | filecheck %s

// One type for each value of the state.

relax.func @f(%c: !relax.tensor<[], i1>, %x: !relax.tensor<[n], f32>) -> !relax.object {
  %r = relax.while (%a = %x) : (!relax.tensor<[n], f32>) -> (!relax.tensor<[n], f32>, !relax.tensor<[n], f32>) {
    relax.yield %c : !relax.tensor<[], i1>
  } do {
    relax.yield %a : !relax.tensor<[n], f32>
  }
  relax.return %r : !relax.tensor<[n], f32>
}

// CHECK: while_type_count.mlir:6:32: error: relax.while: expected one type for each of 1 values of the state, found 2; write as many after the arrow{{$}}
