// RUN: not relax-opt %s 2>&1 | filecheck %s

// The result has the size in brackets.

func.func private @prim(%x: tensor<?xf32> {relax.dims = ["n"]}, %m: index {relax.symbol = "m"}) -> (tensor<?xf32> {relax.dims = ["m"]})
relax.func @f(%x: !relax.tensor<[n], f32>) -> !relax.object {
  %y = relax.call_tir @prim(%x)[5] : (!relax.tensor<[n], f32>) -> !relax.tensor<[6], f32>
  relax.return %x : !relax.tensor<[n], f32>
}

// CHECK: call_tir_result.mlir:7:8: error: @f: relax.call_tir (%y): expected result type !relax.tensor<[5], f32>, as @prim returns (F3), found !relax.tensor<[6], f32>; correct the declared type{{$}}
