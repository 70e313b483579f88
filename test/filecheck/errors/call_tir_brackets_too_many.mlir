// RUN: not relax-opt %s 2>&1 | filecheck %s

// The prim func has one such symbol.

func.func private @prim(%x: tensor<?xf32> {relax.dims = ["n"]}, %m: index {relax.symbol = "m"}) -> (tensor<?xf32> {relax.dims = ["m"]})
relax.func @f(%x: !relax.tensor<[n], f32>) -> !relax.object {
  %y = relax.call_tir @prim(%x)[n, n] : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  relax.return %x : !relax.tensor<[n], f32>
}

// CHECK: call_tir_brackets_too_many.mlir:7:8: error: @f: relax.call_tir (%y): expected sizes in brackets for [m] of @prim (F4), found [n, n]; write one size for each symbol that is a whole dimension of no tensor argument{{$}}
