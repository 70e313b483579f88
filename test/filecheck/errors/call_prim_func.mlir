// RUN: not relax-opt %s 2>&1 | filecheck %s

// relax.call names no sizes.

func.func private @prim(%x: tensor<?xf32> {relax.dims = ["n"]}, %m: index {relax.symbol = "m"}) -> (tensor<?xf32> {relax.dims = ["m"]})
relax.func @f(%x: !relax.tensor<[n, 4], f32>) -> !relax.object {
  %y = relax.call @prim(%x) : (!relax.tensor<[n, 4], f32>) -> !relax.object
  relax.return %x : !relax.tensor<[n, 4], f32>
}

// CHECK: call_prim_func.mlir:7:8: error: @f: relax.call (%y): expected a prim func that reads its sizes from its arguments (C1), found @prim with more sizes, [m]; call it with relax.call_tir @prim(...)[m]{{$}}
