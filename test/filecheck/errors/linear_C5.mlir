// RUN: not relax-opt %s 2>&1 | filecheck %s

// The weight is turned the wrong way.

relax.func @f(%x: !relax.tensor<[n, 4], f32>, %y: !relax.tensor<[4, 3], f32>) -> !relax.object {
  %r = relax.linear %x, %y : (!relax.tensor<[n, 4], f32>, !relax.tensor<[4, 3], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: linear_C5.mlir:6:8: error: @f: relax.linear (%r): expected the last sizes of x and 'weight' to be equal (C5), found 3 and 4; transpose 'weight', whose axes are [out, in], or correct x{{$}}
