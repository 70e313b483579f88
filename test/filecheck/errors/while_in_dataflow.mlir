// RUN: not relax-opt %s 2>&1 | filecheck %s

// A dataflow block holds no control flow.

relax.func @f(%c: !relax.tensor<[], i1>, %x: !relax.tensor<[n], f32>) -> !relax.object {
  %r = relax.dataflow {
    %q = relax.while (%a = %x) : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
      relax.yield %c : !relax.tensor<[], i1>
    } do {
      relax.yield %a : !relax.tensor<[n], f32>
    }
    relax.output %q : !relax.tensor<[n], f32>
  }
  relax.return %r : !relax.tensor<[n], f32>
}

// CHECK: while_in_dataflow.mlir:7:10: error: @f: relax.while (%q): expected no control flow in relax.dataflow (E2), found this op; move it to a relax.binding_block, or use relax.graph{{$}}
