// RUN: not relax-opt %s 2>&1 | filecheck %s

// A block ends in relax.output.

relax.func @f(%x: !relax.tensor<[n, 4], f32>) -> !relax.object {
  "relax.dataflow"() ({
    %y = relax.exp %x : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4], f32>
  }) : () -> ()
  relax.return %x : !relax.tensor<[n, 4], f32>
}

// CHECK: block_end_generic.mlir:6:3: error: @f: relax.dataflow: expected a relax.output at the end (C1), found relax.exp; add one{{$}}
