// RUN: not relax-opt %s 2>&1 | filecheck %s

// A closure whose body has an effect says so.

relax.func @f(%x: !relax.tensor<[], f32>) -> !relax.object {
  %g = relax.closure (%y: !relax.tensor<[], f32>) -> !relax.object {
    %p = relax.call_packed "tick"(%y) : (!relax.tensor<[], f32>) -> !relax.object
    relax.return %p : !relax.object
  }
  relax.return %g : !relax.func<(!relax.tensor<[], f32>) -> !relax.object>
}

// CHECK: closure_impure.mlir:6:8: error: @f: relax.closure (%g): expected a body without effects (C6), found one that has or may have an effect; write 'impure' before the body{{$}}
