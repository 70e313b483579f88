// RUN: not relax-opt %s -p relax-legalize 2>&1 | filecheck %s

// Whether n is 1 decides how many axes are left.

relax.func @f(%x: !relax.tensor<[n, 1, 3], f32>) -> !relax.tensor<*, f32> {
  %r = relax.squeeze %x : (!relax.tensor<[n, 1, 3], f32>) -> !relax.tensor<*, f32>
  relax.return %r : !relax.tensor<*, f32>
}

// CHECK: relax.squeeze: cannot be legalized: expected a known shape and element type of result 0, found !relax.tensor<*, f32>, whose rank is unknown; name the axes to leave out by 'axis'
