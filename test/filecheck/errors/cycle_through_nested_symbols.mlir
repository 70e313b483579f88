// RUN: not relax-opt %s 2>&1 | filecheck %s

// A variable named deeper in is an edge all the same.

relax.func @f(%x: !relax.tensor<[n, 4], f32>) -> !relax.object {
  %o = relax.dataflow {
    %y = relax.dataflow {
      %s = relax.shape [m]
      %t = relax.exp %x : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4], f32>
      relax.output %t : !relax.tensor<[n, 4], f32>
    }
    %z = relax.match_cast %y : !relax.tensor<[n, 4], f32> -> !relax.tensor<[n, m], f32>
    relax.output %y : !relax.tensor<[n, 4], f32>
  }
  relax.return %x : !relax.tensor<[n, 4], f32>
}

// CHECK: cycle_through_nested_symbols.mlir:7:10: error: @f: relax.dataflow: expected a graph region without cycles (V2), found relax.dataflow (%y) -> relax.match_cast (%z) -> relax.dataflow (%y); break the cycle{{$}}
