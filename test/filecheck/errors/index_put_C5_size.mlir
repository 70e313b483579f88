// RUN: not relax-opt %s 2>&1 | filecheck %s

// Two elements do not take three values.

relax.func @f(%a: !relax.tensor<[n], f32>, %b: !relax.tensor<[2], i64>, %c: !relax.tensor<[3], f32>) -> !relax.object {
  %r = relax.index_put %a, %b, %c : (!relax.tensor<[n], f32>, !relax.tensor<[2], i64>, !relax.tensor<[3], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: index_put_C5_size.mlir:6:8: error: @f: relax.index_put (%r): expected a size that is 1 or 2 (C5), found 3; correct the shape{{$}}
