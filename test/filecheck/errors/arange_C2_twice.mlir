// RUN: not relax-opt %s 2>&1 | filecheck %s

// The end stands twice.

relax.func @f(%x: !relax.shape<[n]>) -> !relax.object {
  %r = relax.arange %x {start = 0 : i64, end = 4 : i64, step = 1 : i64} : (!relax.shape<[n]>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: arange_C2_twice.mlir:6:8: error: @f: relax.arange (%r): expected 0 sizes for the bounds that are no numbers (C2), found 1; write each of start and end once{{$}}
