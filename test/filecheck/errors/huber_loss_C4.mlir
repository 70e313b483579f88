// RUN: not relax-opt %s 2>&1 | filecheck %s

// A bound of zero.

relax.func @f(%x: !relax.tensor<[n, 4], f32>, %y: !relax.tensor<[n, 4], f32>) -> !relax.object {
  %r = relax.huber_loss %x, %y {delta = 0.000000e+00 : f64} : (!relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: huber_loss_C4.mlir:6:8: error: @f: relax.huber_loss (%r): expected delta to be greater than 0 (C4), found 0.0; correct delta{{$}}
