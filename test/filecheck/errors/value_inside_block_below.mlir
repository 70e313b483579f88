// RUN: not relax-opt %s 2>&1 | filecheck %s

// What is defined in a block is not visible above it.

relax.func @f(%x: !relax.tensor<[n, 4], f32>) -> !relax.object {
  %z = relax.exp %y : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4], f32>
  %o = relax.dataflow {
    %y = relax.exp %x : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4], f32>
    relax.output %y : !relax.tensor<[n, 4], f32>
  }
  relax.return %x : !relax.tensor<[n, 4], f32>
}

// CHECK: value_inside_block_below.mlir:6:8: error: @f: relax.exp (%z): expected operands visible in its region (V1), found %y, which belongs to another region; pass it out through relax.output{{$}}
