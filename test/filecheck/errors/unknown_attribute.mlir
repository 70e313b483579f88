// RUN: not relax-opt %s 2>&1 | filecheck %s

// A misspelled attribute would be ignored in silence.

relax.func @f(%x: !relax.tensor<[n, 4], f32>) -> !relax.object {
  %y = relax.sum %x {axes = array<i64: 0>} : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[], f32>
  relax.return %x : !relax.tensor<[n, 4], f32>
}

// CHECK: unknown_attribute.mlir:6:46: error: relax.sum: expected attributes axis, keepdims, found 'axes'; correct the name, or prefix it as in 'my.axes'{{$}}
