// RUN: not relax-opt %s 2>&1 | filecheck %s

// A tensor is no element type.

relax.func @f(%x: !relax.tensor<[4], f32>) -> !relax.object {
  %r = relax.astype %x {dtype = tensor<4xf32>} : (!relax.tensor<[4], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: astype_C1.mlir:6:8: error: @f: relax.astype (%r): expected a floating-point or integer type that tensors can have (C1), found tensor<4xf32>; name one, such as f32 or i32{{$}}
