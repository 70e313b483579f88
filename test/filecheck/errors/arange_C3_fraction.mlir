// RUN: not relax-opt %s 2>&1 | filecheck %s

// The number of halves is not known to be whole.

relax.func @f(%x: !relax.shape<[n]>) -> !relax.object {
  %r = relax.arange %x {start = 0 : i64, step = 5.000000e-01 : f64} : (!relax.shape<[n]>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: arange_C3_fraction.mlir:6:8: error: @f: relax.arange (%r): expected whole numbers with symbolic bounds (C3), found [0.5]; make a range of integers and scale it{{$}}
