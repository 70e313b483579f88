// RUN: not relax-opt %s 2>&1 | filecheck %s

// beta has the wrong sign.

relax.func @f(%x: !relax.tensor<[n], f32>) -> !relax.object {
  %r = relax.softplus %x {beta = -1.0 : f64} : (!relax.tensor<[n], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: softplus_C2.mlir:6:8: error: @f: relax.softplus (%r): expected beta to be greater than 0 (C2), found -1.0; correct beta{{$}}
