// RUN: not relax-opt %s 2>&1 | filecheck %s

// The tensor has two axes.

relax.func @f(%x: !relax.tensor<[n, 4], f32>) -> !relax.object {
  %r = relax.argmin %x {axis = 2 : i64} : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: arg_reduction_C1.mlir:6:8: error: @f: relax.argmin (%r): expected an axis from -2 to 1 for a tensor of rank 2 (C1), found 2; axes count from zero, negative ones from the end{{$}}
