// RUN: not relax-opt %s 2>&1 | filecheck %s

// A dataflow block is pure.

relax.func @f(%x: !relax.tensor<[n, 4], f32>) -> !relax.object {
  %o = relax.dataflow {
    %y = relax.call_packed "g"(%x) : (!relax.tensor<[n, 4], f32>) -> !relax.object
    relax.output %y : !relax.object
  }
  relax.return %x : !relax.tensor<[n, 4], f32>
}

// CHECK: impure_call_packed.mlir:7:10: error: @f: relax.call_packed (%y): expected ops without effects in relax.dataflow (E1), found one that has or may have an effect; move it to a relax.binding_block{{$}}
