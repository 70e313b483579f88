// RUN: not relax-opt %s 2>&1 | filecheck %s

// A function is no element.

relax.func @f(%x: !relax.tensor<[n], f32>) -> !relax.object {
  %r = relax.ones_like %x {dtype = () -> ()} : (!relax.tensor<[n], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: ones_like_C1.mlir:6:8: error: @f: relax.ones_like (%r): expected an element type that tensors can have (C1), found () -> (); name one, such as f32 or i64{{$}}
