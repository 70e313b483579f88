// RUN: not relax-opt %s 2>&1 | filecheck %s

// Truth values have no product.

relax.func @f(%x: !relax.tensor<[n], i1>, %y: !relax.tensor<[n], i1>, %z: !relax.tensor<[n], i1>) -> !relax.object {
  %r = relax.ewise_fma %x, %y, %z : (!relax.tensor<[n], i1>, !relax.tensor<[n], i1>, !relax.tensor<[n], i1>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: ewise_fma_C1_bool.mlir:6:8: error: @f: relax.ewise_fma (%r): expected a numeric element type (C1), found i1; convert with relax.astype first{{$}}
