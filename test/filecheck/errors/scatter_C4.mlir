// RUN: not relax-opt %s 2>&1 | filecheck %s

// A sum is called add.

relax.func @f(%a: !relax.tensor<[n], f32>, %b: !relax.tensor<[k, 1], i64>, %c: !relax.tensor<[k], f32>) -> !relax.object {
  %r = relax.scatter_nd %a, %b, %c {reduction = "sum"} : (!relax.tensor<[n], f32>, !relax.tensor<[k, 1], i64>, !relax.tensor<[k], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: scatter_C4.mlir:6:8: error: @f: relax.scatter_nd (%r): expected reduction to be one of "update", "add", "mul", "mean", "max", "min" (C4), found "sum"; correct reduction{{$}}
