// RUN: not relax-opt %s 2>&1 | filecheck %s

// Nothing says that n is even.

relax.func @f(%x: !relax.tensor<[n, 4], f32>) -> !relax.object {
  %r = relax.glu %x {axis = 0 : i64} : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: glu_C3.mlir:6:8: error: @f: relax.glu (%r): expected a provably even size along the axis (C3), found n; make it so by a relax.match_cast of x to a size such as 2 * m{{$}}
