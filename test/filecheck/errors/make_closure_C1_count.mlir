// RUN: not relax-opt %s 2>&1 | filecheck %s

// Not more arguments than the function has parameters.

relax.func private @g(%x: !relax.tensor<[], f32>) -> !relax.tensor<[], f32> {
  relax.return %x : !relax.tensor<[], f32>
}
relax.func @f(%x: !relax.tensor<[], f32>) -> !relax.object {
  %h = relax.make_closure @g(%x, %x) : (!relax.tensor<[], f32>, !relax.tensor<[], f32>) -> !relax.func<() -> !relax.tensor<[], f32>>
  relax.return %x : !relax.tensor<[], f32>
}

// CHECK: make_closure_C1_count.mlir:9:8: error: @f: relax.make_closure (%h): expected at most 1 arguments for @g (C1), found 2; pass the first of its parameters only{{$}}
