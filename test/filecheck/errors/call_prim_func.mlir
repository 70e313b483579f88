// RUN: not relax-opt %s 2>&1 | filecheck %s

// relax.call calls relax functions.

func.func private @prim(%x: tensor<?xf32> {relax.dims = ["n"]}, %m: index {relax.symbol = "m"}) -> (tensor<?xf32> {relax.dims = ["m"]})
relax.func @f(%x: !relax.tensor<[n, 4], f32>) -> !relax.object {
  %y = relax.call @prim(%x) : (!relax.tensor<[n, 4], f32>) -> !relax.object
  relax.return %x : !relax.tensor<[n, 4], f32>
}

// CHECK: call_prim_func.mlir:7:8: error: @f: relax.call (%y): expected the symbol of a relax.func, found func.func @prim; call a prim func with relax.call_tir{{$}}
