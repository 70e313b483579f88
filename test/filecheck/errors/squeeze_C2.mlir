// RUN: not relax-opt %s 2>&1 | filecheck %s

// A size of n + 2 is never 1.

relax.func @f(%x: !relax.tensor<[n + 2, 1], f32>, %sizes: !relax.shape<[n]>) -> !relax.object {
  %r = relax.squeeze %x {axis = array<i64: 0>} : (!relax.tensor<[n + 2, 1], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: squeeze_C2.mlir:6:8: error: @f: relax.squeeze (%r): expected the size of axis 0 to be 1 (C2), found n + 2; correct the axes{{$}}
