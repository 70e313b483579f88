// RUN: relax-opt %s --split-input-file --verify-diagnostics | filecheck %s

// The tensor has two axes.

relax.func @f(%x: !relax.tensor<[n, 4], f32>) -> !relax.object {
  %r0, %r1 = relax.cummax %x {axis = 2 : i64} : (!relax.tensor<[n, 4], f32>) -> (!relax.tensor<*>, !relax.tensor<*>)
  relax.return %r0 : !relax.tensor<*>
}

// CHECK: error: @f: relax.cummax (%r0, %r1): expected an axis from -2 to 1 for a tensor of rank 2 (C1), found 2; axes count from zero, negative ones from the end{{$}}

// -----

// Negative axes count from the end.

relax.func @f(%x: !relax.tensor<[n, 4], f32>) -> !relax.object {
  %r0, %r1 = relax.cummin %x {axis = -3 : i64} : (!relax.tensor<[n, 4], f32>) -> (!relax.tensor<*>, !relax.tensor<*>)
  relax.return %r0 : !relax.tensor<*>
}

// CHECK: error: @f: relax.cummin (%r0, %r1): expected an axis from -2 to 1 for a tensor of rank 2 (C1), found -3; axes count from zero, negative ones from the end{{$}}
