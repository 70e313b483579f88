// RUN: not relax-opt %s 2>&1 | filecheck %s

// The fields of a tuple are so many results.

func.func private @prim(%x: tensor<?xf32> {relax.dims = ["n"]}) -> (tensor<?xf32> {relax.dims = ["n"]})
relax.func @f(%x: !relax.tensor<[n], f32>) -> !relax.object {
  %y = relax.call_tir @prim(%x) : (!relax.tensor<[n], f32>) -> tuple<!relax.tensor<[n], f32>, !relax.tensor<[n], f32>>
  relax.return %x : !relax.tensor<[n], f32>
}

// CHECK: call_tir_tuple_count.mlir:7:8: error: @f: relax.call_tir (%y): expected as many results as @prim returns, 1 (F3), found 2; declare one type per result, or per field of a tuple{{$}}
