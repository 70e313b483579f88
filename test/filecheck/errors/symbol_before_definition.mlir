// RUN: not relax-opt %s 2>&1 | filecheck %s

// In an ordered region a variable is defined from its match on.

relax.func @f(%p: !relax.object) -> !relax.object {
  %s = relax.shape [m]
  %y = relax.match_cast %p : !relax.object -> !relax.tensor<[m], f32>
  relax.return %p : !relax.object
}

// CHECK: symbol_before_definition.mlir:6:8: error: @f: relax.shape (%s): expected symbolic variables that are defined (S1), found 'm'; define it by a parameter's type, or by a relax.match_cast before this op{{$}}
