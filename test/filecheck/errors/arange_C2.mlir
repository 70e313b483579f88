// RUN: not relax-opt %s 2>&1 | filecheck %s

// The end stands nowhere.

relax.func @f() -> !relax.object {
  %r = relax.arange {start = 0 : i64, step = 1 : i64} : () -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: arange_C2.mlir:6:8: error: @f: relax.arange (%r): expected 1 sizes for the bounds that are no numbers (C2), found 0; write each of start and end once{{$}}
