// RUN: not relax-opt %s 2>&1 | filecheck %s

// The result type is what the given arguments leave of the function.

relax.func private @g(%x: !relax.tensor<[], f32>, %y: !relax.tensor<[], f32>) -> !relax.tensor<[], f32> {
  relax.return %x : !relax.tensor<[], f32>
}
relax.func @f(%x: !relax.tensor<[], f32>) -> !relax.object {
  %h = relax.make_closure @g(%x) : (!relax.tensor<[], f32>) -> !relax.func<() -> !relax.tensor<[], f32>>
  relax.return %x : !relax.tensor<[], f32>
}

// CHECK: make_closure_result.mlir:9:8: error: @f: relax.make_closure (%h): expected result type !relax.func<(!relax.tensor<[], f32>) -> !relax.tensor<[], f32>>, as @g returns (F3), found !relax.func<() -> !relax.tensor<[], f32>>; correct the declared type{{$}}
