// RUN: not relax-opt %s 2>&1 | filecheck %s

// k is no variable of the caller.

func.func private @prim(%x: tensor<?xf32> {relax.dims = ["n"]}, %m: index {relax.symbol = "m"}) -> (tensor<?xf32> {relax.dims = ["m"]})
relax.func @f(%x: !relax.tensor<[n], f32>) -> !relax.object {
  %y = relax.call_tir @prim(%x)[k] : (!relax.tensor<[n], f32>) -> !relax.object
  relax.return %x : !relax.tensor<[n], f32>
}

// CHECK: call_tir_symbol_undefined.mlir:7:8: error: @f: relax.call_tir (%y): expected symbolic variables that are defined (S1), found 'k'; define it by a parameter's type, or by a relax.match_cast before this op{{$}}
