// RUN: not relax-opt %s 2>&1 | filecheck %s

// The results of a block are what it outputs.

relax.func @f(%x: !relax.tensor<[n, 4], f32>) -> !relax.object {
  %o = "relax.dataflow"() ({
    relax.output %x : !relax.tensor<[n, 4], f32>
  }) : () -> !relax.object
  relax.return %x : !relax.tensor<[n, 4], f32>
}

// CHECK: block_results_generic.mlir:6:8: error: @f: relax.dataflow: expected results of the types that relax.output passes out (!relax.tensor<[n, 4], f32>) (C2), found (!relax.object); change the two together{{$}}
