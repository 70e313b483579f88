// RUN: not relax-opt %s 2>&1 | filecheck %s

// A window has one dimension.

relax.func @f(%x: !relax.shape<[n, 2]>) -> !relax.object {
  %r = relax.hamming_window %x : (!relax.shape<[n, 2]>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: hamming_window_C2.mlir:6:8: error: @f: relax.hamming_window (%r): expected a shape of one size (C2), found 2 sizes; write the number of elements{{$}}
