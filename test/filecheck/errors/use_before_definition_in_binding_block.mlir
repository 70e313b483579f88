// RUN: not relax-opt %s 2>&1 | filecheck %s

// A binding block is ordered.

relax.func @f(%x: !relax.tensor<[n, 4], f32>) -> !relax.object {
  %o = relax.binding_block {
    %z = relax.exp %y : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4], f32>
    %y = relax.exp %x : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4], f32>
    relax.output %z : !relax.tensor<[n, 4], f32>
  }
  relax.return %x : !relax.tensor<[n, 4], f32>
}

// CHECK: use_before_definition_in_binding_block.mlir:7:10: error: @f: relax.exp (%z): expected operands defined before it (V1), found %y, which relax.exp defines further down; move the definition up, or put both into a relax.dataflow block, where order is free{{$}}
