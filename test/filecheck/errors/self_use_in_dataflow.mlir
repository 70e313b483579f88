// RUN: not relax-opt %s 2>&1 | filecheck %s

// An op does not use its own result, in a graph region neither.

relax.func @f(%x: !relax.tensor<[n, 4], f32>) -> !relax.object {
  %o = relax.dataflow {
    %y = relax.exp %y : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4], f32>
    relax.output %y : !relax.tensor<[n, 4], f32>
  }
  relax.return %x : !relax.tensor<[n, 4], f32>
}

// CHECK: self_use_in_dataflow.mlir:7:10: error: @f: relax.dataflow: expected a graph region without cycles (V2), found relax.exp (%y) -> relax.exp (%y); break the cycle{{$}}
