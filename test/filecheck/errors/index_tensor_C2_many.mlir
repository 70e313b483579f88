// RUN: not relax-opt %s 2>&1 | filecheck %s

// There is no second axis.

relax.func @f(%a: !relax.tensor<[n], f32>, %b: !relax.tensor<[k], i64>, %c: !relax.tensor<[k], i64>) -> !relax.object {
  %r = relax.index_tensor %a, %b, %c : (!relax.tensor<[n], f32>, !relax.tensor<[k], i64>, !relax.tensor<[k], i64>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: index_tensor_C2_many.mlir:6:8: error: @f: relax.index_tensor (%r): expected 1 to 1 tensors of indices for !relax.tensor<[n], f32> (C2), found 2; write one for each axis{{$}}
