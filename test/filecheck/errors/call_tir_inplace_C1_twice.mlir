// RUN: not relax-opt %s 2>&1 | filecheck %s

// No two results lie in one argument.

func.func private @p(%a: tensor<?xf32> {relax.dims = ["n"]}, %b: tensor<?xf32> {relax.dims = ["n"]}) -> (tensor<?xf32> {relax.dims = ["n"]}, tensor<?xf32> {relax.dims = ["n"]}) {
  func.return %a, %b : tensor<?xf32>, tensor<?xf32>
}
relax.func @f(%x: !relax.tensor<[n], f32>, %y: !relax.tensor<[n], f32>) -> !relax.object {
  %z, %w = relax.call_tir_inplace @p(%x, %y) {inplace_indices = array<i64: 1, 1>} : (!relax.tensor<[n], f32>, !relax.tensor<[n], f32>) -> (!relax.tensor<[n], f32>, !relax.tensor<[n], f32>)
  relax.return %x : !relax.tensor<[n], f32>
}

// CHECK: call_tir_inplace_C1_twice.mlir:9:12: error: @f: relax.call_tir_inplace (%z, %w): expected one argument's number for each of 2 results, none twice, or -1 for a new tensor (C1), found [1, 1]; arguments are counted from 0 to 1{{$}}
