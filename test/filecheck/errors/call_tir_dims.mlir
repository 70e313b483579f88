// RUN: not relax-opt %s 2>&1 | filecheck %s

// The dims name every dimension.

func.func private @h(%x: tensor<?xf32> {relax.dims = ["n", "m"]}) -> tensor<4xf32>
relax.func @f(%x: !relax.tensor<[n], f32>) -> !relax.object {
  %y = relax.call_tir @h(%x) : (!relax.tensor<[n], f32>) -> !relax.tensor<[4], f32>
  relax.return %x : !relax.tensor<[n], f32>
}

// CHECK: call_tir_dims.mlir:7:8: error: @f: func.func @h: expected relax.dims of 1 sizes for tensor<?xf32>, found 2; name every dimension{{$}}
