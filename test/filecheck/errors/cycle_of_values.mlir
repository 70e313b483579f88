// RUN: not relax-opt %s 2>&1 | filecheck %s

// A graph region has no cycles.

relax.func @f(%x: !relax.tensor<[n, 4], f32>) -> !relax.object {
  %o = relax.dataflow {
    %y = relax.exp %z : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4], f32>
    %z = relax.exp %y : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4], f32>
    relax.output %y : !relax.tensor<[n, 4], f32>
  }
  relax.return %x : !relax.tensor<[n, 4], f32>
}

// CHECK: cycle_of_values.mlir:7:10: error: @f: relax.dataflow: expected a graph region without cycles (V2), found relax.exp (%y) -> relax.exp (%z) -> relax.exp (%y); break the cycle{{$}}
