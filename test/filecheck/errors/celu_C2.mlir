// RUN: not relax-opt %s 2>&1 | filecheck %s

// Nothing is divided by zero.

relax.func @f(%x: !relax.tensor<[n], f32>) -> !relax.object {
  %r = relax.celu %x {alpha = 0.0 : f64} : (!relax.tensor<[n], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: celu_C2.mlir:6:8: error: @f: relax.celu (%r): expected alpha to be another number than zero (C2), found 0; use relax.relu{{$}}
