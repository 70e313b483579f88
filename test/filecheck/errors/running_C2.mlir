// RUN: not relax-opt %s 2>&1 | filecheck %s

// Booleans are no numbers, unless they are converted.

relax.func @f(%x: !relax.tensor<[4], i1>) -> !relax.object {
  %r = relax.cumprod %x {axis = 0 : i64} : (!relax.tensor<[4], i1>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: running_C2.mlir:6:8: error: @f: relax.cumprod (%r): expected a numeric element type (C2), found i1; convert with relax.astype first{{$}}
