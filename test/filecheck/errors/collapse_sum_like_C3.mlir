// RUN: not relax-opt %s 2>&1 | filecheck %s

// 4 is not the broadcast of 3.

relax.func @f(%x: !relax.tensor<[n, 4], f32>, %y: !relax.tensor<[3], f32>) -> !relax.object {
  %r = relax.collapse_sum_like %x, %y : (!relax.tensor<[n, 4], f32>, !relax.tensor<[3], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: collapse_sum_like_C3.mlir:6:8: error: @f: relax.collapse_sum_like (%r): expected a size that is 1 or 4 (C3), found 3; correct the shape{{$}}
