// RUN: relax-opt %s --split-input-file --verify-diagnostics | filecheck %s

// There is nothing to take.

relax.func @f(%x: !relax.tensor<[n, 0], f32>) -> !relax.object {
  %r = relax.max %x {axis = array<i64: 1>} : (!relax.tensor<[n, 0], f32>) -> !relax.tensor<[n], f32>
  relax.return %r : !relax.tensor<[n], f32>
}

// CHECK: error: @f: relax.max (%r): expected at least one element along the axes to reduce (C3), found 0; leave out tensors without elements{{$}}

// -----

// Among all elements, too, whatever the other sizes are.

relax.func @f(%x: !relax.tensor<[?, 0], i8>) -> !relax.object {
  %r = relax.min %x : (!relax.tensor<[?, 0], i8>) -> !relax.tensor<[], i8>
  relax.return %r : !relax.tensor<[], i8>
}

// CHECK: error: @f: relax.min (%r): expected at least one element along the axes to reduce (C3), found 0; leave out tensors without elements{{$}}
