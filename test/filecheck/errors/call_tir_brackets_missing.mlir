// RUN: not relax-opt %s 2>&1 | filecheck %s

// m stands bare in no argument.

func.func private @prim(%x: tensor<?xf32> {relax.dims = ["n"]}, %m: index {relax.symbol = "m"}) -> (tensor<?xf32> {relax.dims = ["m"]})
relax.func @f(%x: !relax.tensor<[n], f32>) -> !relax.object {
  %y = relax.call_tir @prim(%x) : (!relax.tensor<[n], f32>) -> !relax.tensor<[?], f32>
  relax.return %x : !relax.tensor<[n], f32>
}

// CHECK: call_tir_brackets_missing.mlir:7:8: error: @f: relax.call_tir (%y): expected sizes in brackets for [m] of @prim (F4), found []; write one size for each symbol that is a whole dimension of no tensor argument{{$}}
