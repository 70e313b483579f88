// RUN: not relax-opt %s 2>&1 | filecheck %s

// The type of a function value tells its effects.

relax.func private @g(%x: !relax.tensor<[], f32>) -> !relax.tensor<[], f32> {
  relax.print %x : (!relax.tensor<[], f32>) -> ()
  relax.return %x : !relax.tensor<[], f32>
}
relax.func @f(%x: !relax.tensor<[], f32>) -> !relax.object {
  %h = relax.make_closure @g(%x) : (!relax.tensor<[], f32>) -> !relax.func<() -> !relax.tensor<[], f32>>
  relax.return %x : !relax.tensor<[], f32>
}

// CHECK: make_closure_C2.mlir:10:8: error: @f: relax.make_closure (%h): expected an impure result type (C2), as @g may have effects, found !relax.func<() -> !relax.tensor<[], f32>>; write ', impure' at its end{{$}}
