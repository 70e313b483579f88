// RUN: not relax-opt %s 2>&1 | filecheck %s

// An attribute without a dot is one of the op's own: a misspelled one is not ignored.

relax.func @f(%x: !relax.tensor<[n, 4], f32>) -> !relax.object {
  %y = relax.sum %x {axes = array<i64: 0>} : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[], f32>
  relax.return %x : !relax.tensor<[n, 4], f32>
}

// CHECK: unknown_attribute.mlir:6:46: error: relax.sum: expected attributes axis, keepdims, found 'axes'; correct the name, or prefix it as in 'my.axes'{{$}}
