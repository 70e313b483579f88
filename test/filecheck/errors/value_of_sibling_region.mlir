// RUN: not relax-opt %s 2>&1 | filecheck %s

// Nor does the next block see it.

relax.func @f(%x: !relax.tensor<[n, 4], f32>) -> !relax.object {
  %o = relax.dataflow {
    %y = relax.exp %x : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4], f32>
    relax.output %x : !relax.tensor<[n, 4], f32>
  }
  %p = relax.dataflow {
    %z = relax.exp %y : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4], f32>
    relax.output %z : !relax.tensor<[n, 4], f32>
  }
  relax.return %x : !relax.tensor<[n, 4], f32>
}

// CHECK: value_of_sibling_region.mlir:11:20: error: expected values that are defined in their region or around it (V1), found %y, which no op there defines; define it, or pass it out of its block with relax.output{{$}}
