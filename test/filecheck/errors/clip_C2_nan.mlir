// RUN: not relax-opt %s 2>&1 | filecheck %s

// NaN bounds nothing.

relax.func @f(%x: !relax.tensor<[n], f32>) -> !relax.object {
  %r = relax.clip %x {max = 0x7FF8000000000000 : f64} : (!relax.tensor<[n], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: clip_C2_nan.mlir:6:8: error: @f: relax.clip (%r): expected max to be a number (C2), found NaN; leave it out if there is no bound{{$}}
