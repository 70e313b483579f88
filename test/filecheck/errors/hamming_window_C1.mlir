// RUN: not relax-opt %s 2>&1 | filecheck %s

// A window is made of fractions.

relax.func @f(%x: !relax.shape<[n]>) -> !relax.object {
  %r = relax.hamming_window %x {dtype = i32} : (!relax.shape<[n]>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: hamming_window_C1.mlir:6:8: error: @f: relax.hamming_window (%r): expected a floating-point element type (C1), found i32; convert with relax.astype first{{$}}
