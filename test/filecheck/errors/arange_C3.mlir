// RUN: not relax-opt %s 2>&1 | filecheck %s

// The end is never reached.

relax.func @f() -> !relax.object {
  %r = relax.arange {start = 0 : i64, end = 2 : i64, step = 0 : i64} : () -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: arange_C3.mlir:6:8: error: @f: relax.arange (%r): expected a step other than 0 (C3), found 0; correct step{{$}}
