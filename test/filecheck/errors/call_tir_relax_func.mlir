// RUN: not relax-opt %s 2>&1 | filecheck %s

// relax.call_tir calls prim funcs.

relax.func @g(%x: !relax.tensor<[n, n], f32>) -> !relax.tensor<[n], f32> {
  %s = relax.shape [n]
  %y = relax.sum %x {axis = array<i64: 0>} : (!relax.tensor<[n, n], f32>) -> !relax.tensor<[n], f32>
  relax.return %y : !relax.tensor<[n], f32>
}
relax.func @f(%x: !relax.tensor<[n], f32>) -> !relax.object {
  %y = relax.call_tir @g(%x) : (!relax.tensor<[n], f32>) -> !relax.object
  relax.return %x : !relax.tensor<[n], f32>
}

// CHECK: call_tir_relax_func.mlir:11:8: error: @f: relax.call_tir (%y): expected the symbol of a prim func, a func.func (F1), found relax.func @g; call a relax.func with relax.call{{$}}
