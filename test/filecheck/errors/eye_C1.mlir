// RUN: not relax-opt %s 2>&1 | filecheck %s

// A function is no element.

relax.func @f(%x: !relax.shape<[n, n]>) -> !relax.object {
  %r = relax.eye %x {dtype = () -> ()} : (!relax.shape<[n, n]>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: eye_C1.mlir:6:8: error: @f: relax.eye (%r): expected an element type that tensors can have (C1), found () -> (); name one, such as f32 or i64{{$}}
