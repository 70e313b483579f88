// RUN: not relax-opt %s 2>&1 | filecheck %s

// A gradient has a name.

func.func private @p(%a: tensor<?xf32> {relax.dims = ["n"]}) -> (tensor<?xf32> {relax.dims = ["n"]}) {
  func.return %a : tensor<?xf32>
}
relax.func @f(%x: !relax.tensor<[n], f32>) -> !relax.object {
  %z = relax.call_tir_with_grad @p(%x) {te_grad_name = ""} : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  relax.return %z : !relax.tensor<[n], f32>
}

// CHECK: call_tir_with_grad_C1.mlir:9:8: error: @f: relax.call_tir_with_grad (%z): expected the name of a gradient (C1), found ""; write that of relax_dialect.gradient.register_te_gradient{{$}}
