// RUN: not relax-opt %s 2>&1 | filecheck %s

// A dataflow block holds no effects.

func.func private @p(%a: tensor<?xf32> {relax.dims = ["n"]}, %b: tensor<?xf32> {relax.dims = ["n"]}) -> (tensor<?xf32> {relax.dims = ["n"]}) {
  func.return %a : tensor<?xf32>
}
relax.func @f(%x: !relax.tensor<[n], f32>, %y: !relax.tensor<[n], f32>) -> !relax.object {
  %r = relax.dataflow {
    %z = relax.call_tir_inplace @p(%x, %y) {inplace_indices = array<i64: 0>} : (!relax.tensor<[n], f32>, !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
    relax.output %z : !relax.tensor<[n], f32>
  }
  relax.return %r : !relax.tensor<[n], f32>
}

// CHECK: dataflow_inplace.mlir:10:10: error: @f: relax.call_tir_inplace (%z): expected ops without effects in relax.dataflow (E1), found one that has or may have an effect; move it to a relax.binding_block{{$}}
