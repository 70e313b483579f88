// RUN: not relax-opt %s 2>&1 | filecheck %s

// A variable in a closure's parameters is its own or defined around it.

relax.func @f(%x: !relax.tensor<[], f32>) -> !relax.object {
  %g = relax.closure (%y: !relax.tensor<[k], f32>) -> !relax.object {
    relax.return %y : !relax.tensor<[k], f32>
  }
  relax.return %x : !relax.tensor<[], f32>
}

// CHECK: closure_variable_unbound.mlir:6:8: error: @f: relax.closure (%g): expected symbolic variables that are defined (S1), found 'k'; define it by a parameter's type, or by a relax.match_cast before this op{{$}}
