// RUN: not relax-opt %s 2>&1 | filecheck %s

// n is not proved to be m.

relax.func @f(%x: !relax.tensor<[n], f32>, %y: !relax.shape<[m]>) -> !relax.object {
  %r = relax.broadcast_to %x, %y : (!relax.tensor<[n], f32>, !relax.shape<[m]>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: broadcast_to_C2_symbolic.mlir: error: @f: relax.broadcast_to (%r): expected a size that is 1 or provably m (C2), found n; correct the shape, or prove the sizes equal with a relax.match_cast of x{{$}}
