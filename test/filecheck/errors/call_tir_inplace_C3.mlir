// RUN: not relax-opt %s 2>&1 | filecheck %s

// What is written is a tensor.

func.func private @p(%a: tensor<?xf32> {relax.dims = ["n"]}) -> (tensor<?xf32> {relax.dims = ["n"]}) {
  func.return %a : tensor<?xf32>
}
relax.func @f(%t: tuple<!relax.tensor<[n], f32>>) -> !relax.object {
  %z = relax.call_tir_inplace @p(%t) {inplace_indices = array<i64: 0>} : (tuple<!relax.tensor<[n], f32>>) -> !relax.tensor<[n], f32>
  relax.return %z : !relax.tensor<[n], f32>
}

// CHECK: call_tir_inplace_C3.mlir:9:8: error: @f: relax.call_tir_inplace (%z): expected tensors as arguments and results (C3), found tuple<!relax.tensor<[n], f32>>; take the fields with relax.tuple_get_item: the indices count tensors{{$}}
