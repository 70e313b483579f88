// RUN: not relax-opt %s 2>&1 | filecheck %s

// The bounds are exchanged.

relax.func @f(%x: !relax.tensor<[n], f32>) -> !relax.object {
  %r = relax.hard_tanh %x {min = 2.0 : f64} : (!relax.tensor<[n], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: hard_tanh_C2.mlir:6:8: error: @f: relax.hard_tanh (%r): expected min to be at most max (C2), found 2.0 and 1.0; exchange them{{$}}
