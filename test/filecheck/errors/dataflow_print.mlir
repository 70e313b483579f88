// RUN: not relax-opt %s 2>&1 | filecheck %s

// A dataflow block holds no effects.

relax.func @f(%x: !relax.tensor<[], f32>) -> !relax.object {
  %r = relax.dataflow {
    relax.print %x : (!relax.tensor<[], f32>) -> ()
    relax.output %x : !relax.tensor<[], f32>
  }
  relax.return %r : !relax.tensor<[], f32>
}

// CHECK: dataflow_print.mlir:7:5: error: @f: relax.print: expected ops without effects in relax.dataflow (E1), found one that has or may have an effect; move it to a relax.binding_block{{$}}
