// RUN: not relax-opt %s 2>&1 | filecheck %s

// Nothing says where.

relax.func @f(%a: !relax.tensor<[n], f32>, %b: !relax.tensor<[k], f32>) -> !relax.object {
  %r = relax.index_put %a, %b : (!relax.tensor<[n], f32>, !relax.tensor<[k], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: index_put_C2.mlir:6:8: error: @f: relax.index_put (%r): expected 1 to 1 tensors of indices for !relax.tensor<[n], f32> (C2), found 0; write one for each axis{{$}}
