// RUN: not relax-opt %s 2>&1 | filecheck %s

// Only Relax functions become function values.

func.func private @prim(%x: tensor<f32> {relax.dims = []}) -> (tensor<f32> {relax.dims = []}) {
  func.return %x : tensor<f32>
}
relax.func @f(%x: !relax.tensor<[], f32>) -> !relax.object {
  %g = relax.make_closure @prim(%x) : (!relax.tensor<[], f32>) -> !relax.func<() -> !relax.tensor<[], f32>>
  relax.return %x : !relax.tensor<[], f32>
}

// CHECK: make_closure_prim_func.mlir:9:8: error: @f: relax.make_closure (%g): expected the symbol of a relax.func (F1), found func.func @prim; name one{{$}}
