// RUN: not relax-opt %s 2>&1 | filecheck %s

// The types are missing.

relax.func @f(%x: !relax.tensor<[n, 4], f32>) -> !relax.object {
  %o = relax.dataflow {
    relax.output %x
  }
  relax.return %x : !relax.tensor<[n, 4], f32>
}

// CHECK: output_no_types.mlir:8:3: error: Expected ':' before the types{{$}}
