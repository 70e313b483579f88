// RUN: not relax-opt %s -p relax-legalize 2>&1 | filecheck %s

// The filters of a transposed convolution come first, but how they are cut depends on x.

relax.func @f(%x: !relax.tensor<*, f32>, %w: !relax.tensor<[c, 2, 3], f32>) -> !relax.tensor<[?, 2, ?], f32> {
  %r = relax.conv1d_transpose %x, %w : (!relax.tensor<*, f32>, !relax.tensor<[c, 2, 3], f32>) -> !relax.tensor<[?, 2, ?], f32>
  relax.return %r : !relax.tensor<[?, 2, ?], f32>
}

// CHECK: relax.conv1d_transpose: cannot be legalized: expected a known shape and element type of operand 'x', found !relax.tensor<*, f32>, whose rank is unknown; insert a relax.match_cast that names it
