// RUN: relax-opt %s --split-input-file --verify-diagnostics | filecheck %s

// The tensor has two axes.

relax.func @f(%x: !relax.tensor<[n, 4], f32>) -> !relax.object {
  %r = relax.sort %x {axis = 2 : i64} : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: error: @f: relax.sort (%r): expected an axis from -2 to 1 for a tensor of rank 2 (C1), found 2; axes count from zero, negative ones from the end{{$}}

// -----

// Negative axes count from the end.

relax.func @f(%x: !relax.tensor<[n, 4], f32>) -> !relax.object {
  %r = relax.argsort %x {axis = -3 : i64} : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: error: @f: relax.argsort (%r): expected an axis from -2 to 1 for a tensor of rank 2 (C1), found -3; axes count from zero, negative ones from the end{{$}}

// -----

// A scalar has no axis.

relax.func @f(%x: !relax.tensor<[], f32>) -> !relax.object {
  %r0, %r1 = relax.topk %x : (!relax.tensor<[], f32>) -> (!relax.tensor<*>, !relax.tensor<*>)
  relax.return %r0 : !relax.tensor<*>
}

// CHECK: error: @f: relax.topk (%r0, %r1): expected no axis for a tensor of rank 0 (C1), found -1; axes count from zero, negative ones from the end{{$}}
