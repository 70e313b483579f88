// RUN: not relax-opt %s 2>&1 | filecheck %s

// The end is never reached.

relax.func @f() -> !relax.object {
  %r = relax.arange {start = 0 : i64, end = 0x7FF0000000000000 : f64, step = 1 : i64} : () -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: arange_C3_infinite.mlir:6:8: error: @f: relax.arange (%r): expected finite numbers (C3), found [0, inf, 1]; correct them{{$}}
