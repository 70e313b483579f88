// RUN: not relax-opt %s 2>&1 | filecheck %s

// Each result lies in one of the arguments.

func.func private @p(%a: tensor<?xf32> {relax.dims = ["n"]}, %b: tensor<?xf32> {relax.dims = ["n"]}) -> (tensor<?xf32> {relax.dims = ["n"]}) {
  func.return %a : tensor<?xf32>
}
relax.func @f(%x: !relax.tensor<[n], f32>, %y: !relax.tensor<[n], f32>) -> !relax.object {
  %z = relax.call_tir_inplace @p(%x, %y) {inplace_indices = array<i64: 2>} : (!relax.tensor<[n], f32>, !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  relax.return %x : !relax.tensor<[n], f32>
}

// CHECK: call_tir_inplace_C1_range.mlir:9:8: error: @f: relax.call_tir_inplace (%z): expected one argument's number for each of 1 results, none twice, or -1 for a new tensor (C1), found [2]; arguments are counted from 0 to 1{{$}}
