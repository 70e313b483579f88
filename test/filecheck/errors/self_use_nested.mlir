// RUN: not relax-opt %s 2>&1 | filecheck %s

// A block cannot use its own result inside.

relax.func @f(%x: !relax.tensor<[n, 4], f32>) -> !relax.object {
  %o = relax.dataflow {
    %y = relax.dataflow {
      %z = relax.exp %y : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4], f32>
      relax.output %z : !relax.tensor<[n, 4], f32>
    }
    relax.output %y : !relax.tensor<[n, 4], f32>
  }
  relax.return %x : !relax.tensor<[n, 4], f32>
}

// CHECK: self_use_nested.mlir:7:10: error: @f: relax.dataflow: expected a graph region without cycles (V2), found relax.dataflow (%y) -> relax.dataflow (%y); break the cycle{{$}}
