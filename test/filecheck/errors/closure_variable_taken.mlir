// RUN: not relax-opt %s 2>&1 | filecheck %s

// A closure does not bind a variable that is defined around it.

relax.func @f(%x: !relax.tensor<[n], f32>) -> !relax.object {
  %g = relax.closure [n] (%y: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
    relax.return %y : !relax.tensor<[n], f32>
  }
  relax.return %x : !relax.tensor<[n], f32>
}

// CHECK: closure_variable_taken.mlir:6:8: error: @f: relax.closure (%g): expected bound variables that are not defined around the closure (C4), found 'n'; rename it{{$}}
