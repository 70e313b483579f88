// RUN: relax-opt %s --split-input-file --verify-diagnostics | filecheck %s

// A matrix that is not square has none.

relax.func @f(%x: !relax.tensor<[b, 3, 4], f32>) -> !relax.object {
  %r = relax.det %x : (!relax.tensor<[b, 3, 4], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: error: @f: relax.det (%r): expected square matrices (C3), found 4 for 3; slice or reshape x{{$}}
