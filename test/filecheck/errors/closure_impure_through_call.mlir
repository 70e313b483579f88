// RUN: not relax-opt %s 2>&1 | filecheck %s

// A closure that calls a function with an effect says so.

relax.func @f(%x: !relax.tensor<[], f32>) -> !relax.object {
  %g = relax.closure (%y: !relax.tensor<[], f32>) -> !relax.tensor<[], f32> {
    %p = relax.call @tick(%y) : (!relax.tensor<[], f32>) -> !relax.tensor<[], f32>
    relax.return %p : !relax.tensor<[], f32>
  }
  relax.return %g : !relax.func<(!relax.tensor<[], f32>) -> !relax.tensor<[], f32>>
}
relax.func @tick(%x: !relax.tensor<[], f32>) -> !relax.tensor<[], f32> {
  relax.print %x : (!relax.tensor<[], f32>) -> ()
  relax.return %x : !relax.tensor<[], f32>
}

// CHECK: closure_impure_through_call.mlir:6:8: error: @f: relax.closure (%g): expected a body without effects (C6), found one that has or may have an effect; write 'impure' before the body{{$}}
