// RUN: not relax-opt %s 2>&1 | filecheck %s

// A closure ends in relax.return.

relax.func @f(%x: !relax.tensor<[], f32>) -> !relax.object {
  %r = relax.closure (%y: !relax.tensor<[], f32>) -> !relax.tensor<[], f32> {
    relax.yield %y : !relax.tensor<[], f32>
  }
  relax.return %x : !relax.tensor<[], f32>
}

// CHECK: yield_in_closure.mlir:6:77: error: relax.closure: expected one block that ends in relax.return (C1), found one that ends in relax.yield; end it with relax.return and the value that it returns{{$}}
