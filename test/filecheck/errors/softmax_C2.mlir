// RUN: not relax-opt %s 2>&1 | filecheck %s

// The tensor has one axis.

relax.func @f(%x: !relax.tensor<[4], f32>) -> !relax.object {
  %r = relax.softmax %x {axis = 1 : i64} : (!relax.tensor<[4], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: softmax_C2.mlir:6:8: error: @f: relax.softmax (%r): expected an axis from -1 to 0 for a tensor of rank 1 (C2), found 1; axes count from zero, negative ones from the end{{$}}
