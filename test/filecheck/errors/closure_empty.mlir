// RUN: not relax-opt %s 2>&1 | filecheck %s

// A closure ends in relax.return.

relax.func @f(%x: !relax.tensor<[], f32>) -> !relax.object {
  %r = relax.closure (%y: !relax.tensor<[], f32>) -> !relax.tensor<[], f32> {
  }
  relax.return %x : !relax.tensor<[], f32>
}

// CHECK: closure_empty.mlir:6:77: error: relax.closure: expected one block that ends in relax.return (C1), found an empty one; end it with relax.return and the value that it returns{{$}}
