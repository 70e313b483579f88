// RUN: not relax-opt %s 2>&1 | filecheck %s

// A block ends in relax.output.

relax.func @f(%x: !relax.tensor<[], f32>) -> !relax.tensor<[], f32> {
  %r = relax.binding_block {
    relax.yield %x : !relax.tensor<[], f32>
  }
  relax.return %r : !relax.tensor<[], f32>
}

// CHECK: yield_in_block.mlir:6:28: error: relax.binding_block: expected one block that ends in relax.output (C1), found one that ends in relax.yield; pass the values that are used outside to relax.output{{$}}
