// RUN: not relax-opt %s 2>&1 | filecheck %s

// A dataflow block holds no control flow.

relax.func @f(%c: !relax.tensor<[], i1>, %x: !relax.tensor<[], f32>) -> !relax.object {
  %o = relax.dataflow {
    %r = relax.if %c : (!relax.tensor<[], i1>) -> !relax.tensor<[], f32> {
      relax.yield %x : !relax.tensor<[], f32>
    } else {
      relax.yield %x : !relax.tensor<[], f32>
    }
    relax.output %r : !relax.tensor<[], f32>
  }
  relax.return %o : !relax.tensor<[], f32>
}

// CHECK: if_in_dataflow.mlir:7:10: error: @f: relax.if (%r): expected no control flow in relax.dataflow (E2), found this op; move it to a relax.binding_block, or use relax.graph{{$}}
