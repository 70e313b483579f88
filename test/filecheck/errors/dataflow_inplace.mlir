// RUN: not relax-opt %s 2>&1 | filecheck %s

// A dataflow block holds no effects.

relax.func @f(%x: !relax.tensor<[n], f32>, %y: !relax.tensor<[n], f32>) -> !relax.object {
  %r = relax.dataflow {
    %z = relax.call_inplace_packed "p"(%x, %y) {inplace_indices = array<i64: 0>} : (!relax.tensor<[n], f32>, !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
    relax.output %z : !relax.tensor<[n], f32>
  }
  relax.return %r : !relax.tensor<[n], f32>
}

// CHECK: dataflow_inplace.mlir:7:10: error: @f: relax.call_inplace_packed (%z): expected ops without effects in relax.dataflow (E1), found one that has or may have an effect; move it to a relax.binding_block{{$}}
