// RUN: not relax-opt %s 2>&1 | filecheck %s

// A prim func of one result.

func.func private @prim(%x: tensor<?xf32> {relax.dims = ["n"]}, %m: index {relax.symbol = "m"}) -> (tensor<?xf32> {relax.dims = ["m"]})
relax.func @f(%x: !relax.tensor<[n], f32>) -> !relax.object {
  %y, %z = relax.call_tir @prim(%x)[n] : (!relax.tensor<[n], f32>) -> (!relax.tensor<[n], f32>, !relax.tensor<[n], f32>)
  relax.return %x : !relax.tensor<[n], f32>
}

// CHECK: call_tir_result_count.mlir:7:12: error: @f: relax.call_tir (%y, %z): expected as many results as @prim returns, 1 (F3), found 2; declare one type per result{{$}}
