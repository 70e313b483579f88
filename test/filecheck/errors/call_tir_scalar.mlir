// RUN: not relax-opt %s 2>&1 | filecheck %s

// A function that takes a float is no prim func.

func.func private @h(%x: f32) -> tensor<4xf32>
relax.func @f(%x: !relax.tensor<[n], f32>) -> !relax.object {
  %y = relax.call_tir @h() : () -> !relax.tensor<[4], f32>
  relax.return %x : !relax.tensor<[n], f32>
}

// CHECK: call_tir_scalar.mlir:7:8: error: @f: func.func @h: expected tensors or memrefs and `index` arguments marked relax.symbol, found f32; only such functions can be called by relax.call_tir{{$}}
