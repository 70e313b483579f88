// RUN: not relax-opt %s 2>&1 | filecheck %s

// Truth values have no order to clip by.

relax.func @f(%x: !relax.tensor<[n], i1>) -> !relax.object {
  %r = relax.clip %x {min = 0 : i64} : (!relax.tensor<[n], i1>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: clip_C1.mlir:6:8: error: @f: relax.clip (%r): expected a numeric element type (C1), found i1; convert with relax.astype first{{$}}
