// RUN: not relax-opt %s 2>&1 | filecheck %s

// A builtin tensor has an element type.

relax.func @f(%x: !relax.tensor<[n]>) -> !relax.object {
  %y = relax.to_builtin %x : (!relax.tensor<[n]>) -> tensor<?xf32>
  relax.return %x : !relax.tensor<[n]>
}

// CHECK: to_builtin_unknown_dtype.mlir:6:8: error: @f: relax.to_builtin (%y): expected a tensor of known rank and element type (C1), found !relax.tensor<[n]>; insert a relax.match_cast to a type that has both{{$}}
