// RUN: not relax-opt %s 2>&1 | filecheck %s

// i32 has no fractions.

relax.func @f(%x: !relax.tensor<[n], i32>) -> !relax.object {
  %r = relax.clip %x {max = 5.000000e-01 : f64} : (!relax.tensor<[n], i32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: clip_C2_fraction.mlir:6:8: error: @f: relax.clip (%r): expected max to be a number that i32 holds (C2), found 0.5; correct the number, or convert the tensor with relax.astype first{{$}}
