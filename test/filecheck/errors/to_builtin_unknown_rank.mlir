// RUN: not relax-opt %s 2>&1 | filecheck %s

// A builtin tensor has a rank and an element type.

relax.func @f(%x: !relax.tensor<*, f32>) -> !relax.object {
  %y = relax.to_builtin %x : (!relax.tensor<*, f32>) -> tensor<*xf32>
  relax.return %x : !relax.tensor<*, f32>
}

// CHECK: to_builtin_unknown_rank.mlir:6:8: error: @f: relax.to_builtin (%y): expected result 'result' of kind tensor, found tensor<*xf32>; correct the type{{$}}
