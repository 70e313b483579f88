// RUN: not relax-opt %s 2>&1 | filecheck %s

// A cube has no diagonal here.

relax.func @f(%x: !relax.shape<[n, n, n]>) -> !relax.object {
  %r = relax.eye %x : (!relax.shape<[n, n, n]>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: eye_C2.mlir:6:8: error: @f: relax.eye (%r): expected the shape of a matrix (C2), found 3 sizes; write two sizes{{$}}
