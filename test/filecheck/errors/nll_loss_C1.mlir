// RUN: not relax-opt %s 2>&1 | filecheck %s

// Classes are numbered by integers.

relax.func @f(%x: !relax.tensor<[n, 4], f32>, %y: !relax.tensor<[n], f32>) -> !relax.object {
  %r = relax.nll_loss %x, %y : (!relax.tensor<[n, 4], f32>, !relax.tensor<[n], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: nll_loss_C1.mlir:6:8: error: @f: relax.nll_loss (%r): expected an integer element type of 'targets' (C1), found f32; convert with relax.astype first{{$}}
