// RUN: not relax-opt %s 2>&1 | filecheck %s

// The body yields the whole state.

relax.func @f(%c: !relax.tensor<[], i1>, %x: !relax.tensor<[n], f32>) -> !relax.object {
  %r = relax.while (%a = %x) : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
    relax.yield %c : !relax.tensor<[], i1>
  } do {
    relax.yield
  }
  relax.return %r : !relax.tensor<[n], f32>
}

// CHECK: while_C2.mlir:6:8: error: @f: relax.while (%r): expected one value that the body yields for each of 1 results (C2), found 0; write as many as the state has values{{$}}
