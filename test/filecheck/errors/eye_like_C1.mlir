// RUN: not relax-opt %s 2>&1 | filecheck %s

// A function is no element.

relax.func @f(%x: !relax.tensor<[n, 3], f32>) -> !relax.object {
  %r = relax.eye_like %x {dtype = () -> ()} : (!relax.tensor<[n, 3], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: eye_like_C1.mlir:6:8: error: @f: relax.eye_like (%r): expected an element type that tensors can have (C1), found () -> (); name one, such as f32 or i64{{$}}
