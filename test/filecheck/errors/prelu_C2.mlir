// RUN: not relax-opt %s 2>&1 | filecheck %s

// x has two axes.

relax.func @f(%x: !relax.tensor<[n, 4], f32>, %a: !relax.tensor<[4], f32>) -> !relax.object {
  %r = relax.prelu %x, %a {axis = 2 : i64} : (!relax.tensor<[n, 4], f32>, !relax.tensor<[4], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: prelu_C2.mlir:6:8: error: @f: relax.prelu (%r): expected an axis from -2 to 1 for a tensor of rank 2 (C2), found 2; axes count from zero, negative ones from the end{{$}}
