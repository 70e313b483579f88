// RUN: not relax-opt %s 2>&1 | filecheck %s

// A loop has a body.

relax.func @f(%c: !relax.tensor<[], i1>, %x: !relax.tensor<[n], f32>) -> !relax.object {
  %r = relax.while (%a = %x) : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
    relax.yield %c : !relax.tensor<[], i1>
  }
  relax.return %r : !relax.tensor<[n], f32>
}

// CHECK: while_no_body.mlir:9:3: error: relax.while: expected 'do' and the body after the condition, found neither; yield the next state there{{$}}
