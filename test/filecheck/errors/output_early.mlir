// RUN: not relax-opt %s 2>&1 | filecheck %s

// Nothing stands after the terminator.

relax.func @f(%x: !relax.tensor<[n, 4], f32>) -> !relax.object {
  %o = relax.dataflow {
    relax.output %x : !relax.tensor<[n, 4], f32>
    %s = relax.shape [n]
    relax.output %x : !relax.tensor<[n, 4], f32>
  }
  relax.return %x : !relax.tensor<[n, 4], f32>
}

// CHECK: output_early.mlir:7:5: error: @f: relax.output: expected the end of the block after it, found another op; move it to the end{{$}}
