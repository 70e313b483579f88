// RUN: not relax-opt %s 2>&1 | filecheck %s

// Nothing says where.

relax.func @f(%a: !relax.tensor<[n], f32>) -> !relax.object {
  %r = relax.index_tensor %a : (!relax.tensor<[n], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: index_tensor_C2_none.mlir:6:8: error: @f: relax.index_tensor (%r): expected 1 to 1 tensors of indices for !relax.tensor<[n], f32> (C2), found 0; write one for each axis{{$}}
