// RUN: not relax-opt %s 2>&1 | filecheck %s

// The reshape needs m, and the match that defines m needs the reshape.

relax.func @f(%x: !relax.tensor<[n, 4], f32>) -> !relax.object {
  %o = relax.dataflow {
    %s = relax.shape [m]
    %y = relax.reshape %x, %s : (!relax.tensor<[n, 4], f32>, !relax.shape<[m]>) -> !relax.tensor<[m], f32>
    %z = relax.match_cast %y : !relax.tensor<[m], f32> -> !relax.tensor<[m], f32>
    relax.output %y : !relax.tensor<[m], f32>
  }
  relax.return %x : !relax.tensor<[n, 4], f32>
}

// CHECK: cycle_through_symbols.mlir:7:10: error: @f: relax.dataflow: expected a graph region without cycles (V2), found relax.shape (%s) -> relax.match_cast (%z) -> relax.reshape (%y) -> relax.shape (%s); break the cycle{{$}}
