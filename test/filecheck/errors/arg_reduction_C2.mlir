// RUN: relax-opt %s --split-input-file --verify-diagnostics | filecheck %s

// There is nothing to find.

relax.func @f(%x: !relax.tensor<[n, 0], f32>) -> !relax.object {
  %r = relax.argmax %x {axis = 1 : i64} : (!relax.tensor<[n, 0], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: error: @f: relax.argmax (%r): expected at least one element along the axes to reduce (C2), found 0; leave out tensors without elements{{$}}

// -----

// Among all elements, too.

relax.func @f(%x: !relax.tensor<[2, 0], f32>) -> !relax.object {
  %r = relax.argmin %x : (!relax.tensor<[2, 0], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: error: @f: relax.argmin (%r): expected at least one element along the axes to reduce (C2), found 2 x 0; leave out tensors without elements{{$}}
