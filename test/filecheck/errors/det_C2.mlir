// RUN: relax-opt %s --split-input-file --verify-diagnostics | filecheck %s

// A vector is no matrix.

relax.func @f(%x: !relax.tensor<[3], f32>) -> !relax.object {
  %r = relax.det %x : (!relax.tensor<[3], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: error: @f: relax.det (%r): expected a tensor of rank 2 or more (C2), found one of rank 1; add dimensions with relax.expand_dims or relax.reshape{{$}}
