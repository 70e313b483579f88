// RUN: not relax-opt %s 2>&1 | filecheck %s

// A block ends in relax.output, not in relax.return.

relax.func @f(%x: !relax.tensor<[n, 4], f32>) -> !relax.object {
  relax.dataflow {
    relax.return %x : !relax.tensor<[n, 4], f32>
  }
  relax.return %x : !relax.tensor<[n, 4], f32>
}

// CHECK: dataflow_return.mlir:6:18: error: relax.dataflow: expected one block that ends in relax.output (C1), found one that ends in relax.return; pass the values that are used outside to relax.output{{$}}
