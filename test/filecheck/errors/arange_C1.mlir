// RUN: not relax-opt %s 2>&1 | filecheck %s

// Truth values are not counted.

relax.func @f() -> !relax.object {
  %r = relax.arange {start = 0 : i64, end = 2 : i64, step = 1 : i64, dtype = i1} : () -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: arange_C1.mlir:6:8: error: @f: relax.arange (%r): expected a numeric element type (C1), found i1; name one, such as i64{{$}}
