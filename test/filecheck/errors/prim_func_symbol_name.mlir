// RUN: not relax-opt %s 2>&1 | filecheck %s

// An argument is one variable, no expression of it.

func.func private @prim(%x: tensor<?xf32> {relax.dims = ["n"]}, %m: index {relax.symbol = "m - 1"}) -> (tensor<?xf32> {relax.dims = ["n"]})
relax.func @f(%x: !relax.tensor<[n], f32>) -> !relax.object {
  %y = relax.call_tir @prim(%x)[n] : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  relax.return %y : !relax.tensor<[n], f32>
}

// CHECK: prim_func_symbol_name.mlir:7:8: error: @f: func.func @prim: relax.symbol: 'm - 1' cannot name a symbolic variable: expected letters, digits and '_'
