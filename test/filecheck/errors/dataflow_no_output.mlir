// RUN: not relax-opt %s 2>&1 | filecheck %s

// A block ends in relax.output.

relax.func @f(%x: !relax.tensor<[n, 4], f32>) -> !relax.object {
  %o = relax.dataflow {
    %s = relax.shape [n]
  }
  relax.return %x : !relax.tensor<[n, 4], f32>
}

// CHECK: dataflow_no_output.mlir:6:23: error: relax.dataflow: expected one block that ends in relax.output (C1), found one that ends in relax.shape; pass the values that are used outside to relax.output{{$}}
