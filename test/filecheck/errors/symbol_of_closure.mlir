// RUN: not relax-opt %s 2>&1 | filecheck %s

// A symbolic variable of a closure is not defined after it.

relax.func @f(%x: !relax.tensor<[], f32>) -> !relax.object {
  %g = relax.closure [m] (%y: !relax.tensor<[m], f32>) -> !relax.object {
    relax.return %y : !relax.tensor<[m], f32>
  }
  %s = relax.shape [m]
  relax.return %s : !relax.shape<[m]>
}

// CHECK: symbol_of_closure.mlir:9:8: error: @f: relax.shape (%s): expected symbolic variables that are defined (S1), found 'm'; define it by a parameter's type, or by a relax.match_cast before this op{{$}}
