// RUN: not relax-opt %s 2>&1 | filecheck %s

// A result has the type of the argument in which it lies.

func.func private @p(%a: tensor<?x4xf32> {relax.dims = ["n", "4"]}, %b: tensor<?xf32> {relax.dims = ["n"]}) -> (tensor<?xf32> {relax.dims = ["n"]}) {
  func.return %b : tensor<?xf32>
}
relax.func @f(%x: !relax.tensor<[n, 4], f32>, %y: !relax.tensor<[n], f32>) -> !relax.object {
  %z = relax.call_tir_inplace @p(%x, %y) {inplace_indices = array<i64: 0>} : (!relax.tensor<[n, 4], f32>, !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  relax.return %x : !relax.tensor<[n, 4], f32>
}

// CHECK: call_tir_inplace_C2.mlir:9:8: error: @f: relax.call_tir_inplace (%z): expected a result of the type of argument 0, !relax.tensor<[n, 4], f32> (C2), found !relax.tensor<[n], f32>; correct the result type{{$}}
