// RUN: not relax-opt %s 2>&1 | filecheck %s

// The tensor is missing.

func.func private @prim(%x: tensor<?xf32> {relax.dims = ["n"]}, %m: index {relax.symbol = "m"}) -> (tensor<?xf32> {relax.dims = ["m"]})
relax.func @f(%x: !relax.tensor<[n], f32>) -> !relax.object {
  %y = relax.call_tir @prim()[n] : () -> !relax.tensor<[n], f32>
  relax.return %x : !relax.tensor<[n], f32>
}

// CHECK: call_tir_argument_count.mlir:7:8: error: @f: relax.call_tir @prim: expected as many arguments as parameters, 1 (F2), found 0; pass one for each parameter{{$}}
