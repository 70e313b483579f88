// RUN: not relax-opt %s 2>&1 | filecheck %s

// Even an empty block ends in relax.output.

relax.func @f(%x: !relax.tensor<[n, 4], f32>) -> !relax.object {
  relax.dataflow {
  }
  relax.return %x : !relax.tensor<[n, 4], f32>
}

// CHECK: dataflow_empty.mlir:6:18: error: relax.dataflow: expected one block that ends in relax.output (C1), found an empty one; pass the values that are used outside to relax.output{{$}}
