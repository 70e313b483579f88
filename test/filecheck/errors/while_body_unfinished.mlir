// RUN: not relax-opt %s 2>&1 | filecheck %s

// The body ends in relax.yield.

relax.func @f(%c: !relax.tensor<[], i1>, %x: !relax.tensor<[n], f32>) -> !relax.object {
  %r = relax.while (%a = %x) : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
    relax.yield %c : !relax.tensor<[], i1>
  } do {
    %y = relax.exp %a : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  }
  relax.return %r : !relax.tensor<[n], f32>
}

// CHECK: while_body_unfinished.mlir:8:8: error: relax.while: expected one block that ends in relax.yield (C5), found one that ends in relax.exp; end it with relax.yield and the value that it returns{{$}}
