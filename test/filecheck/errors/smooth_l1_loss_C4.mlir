// RUN: not relax-opt %s 2>&1 | filecheck %s

// A bound below zero.

relax.func @f(%x: !relax.tensor<[n, 4], f32>, %y: !relax.tensor<[n, 4], f32>) -> !relax.object {
  %r = relax.smooth_l1_loss %x, %y {beta = -1.000000e+00 : f64} : (!relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: smooth_l1_loss_C4.mlir:6:8: error: @f: relax.smooth_l1_loss (%r): expected beta to be at least 0 (C4), found -1.0; correct beta{{$}}
