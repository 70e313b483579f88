// RUN: not relax-opt %s 2>&1 | filecheck %s

// The arguments given fit the first parameters.

relax.func private @g(%x: !relax.tensor<[], f32>) -> !relax.tensor<[], f32> {
  relax.return %x : !relax.tensor<[], f32>
}
relax.func @f(%x: !relax.tensor<[], i1>) -> !relax.object {
  %h = relax.make_closure @g(%x) : (!relax.tensor<[], i1>) -> !relax.func<() -> !relax.tensor<[], f32>>
  relax.return %x : !relax.tensor<[], i1>
}

// CHECK: make_closure_C1_dtype.mlir:9:8: error: @f: relax.make_closure @g: expected argument 0 of type !relax.tensor<[], f32> (C1), found !relax.tensor<[], i1>; correct the argument or the parameter{{$}}
