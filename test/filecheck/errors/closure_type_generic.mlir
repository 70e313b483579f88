// RUN: not relax-opt %s 2>&1 | filecheck %s

// A closure's body has the parameters that its type says.

relax.func @f(%x: !relax.tensor<[], f32>) -> !relax.object {
  %g = "relax.closure"() ({
  ^bb0(%y: !relax.tensor<[], f64>):
    relax.return %x : !relax.tensor<[], f32>
  }) : () -> !relax.func<(!relax.tensor<[], f32>) -> !relax.tensor<[], f32>>
  relax.return %x : !relax.tensor<[], f32>
}

// CHECK: closure_type_generic.mlir:6:8: error: @f: relax.closure (%g): expected the parameters of its type !relax.func<(!relax.tensor<[], f32>) -> !relax.tensor<[], f32>> (C2), found !relax.tensor<[], f64>; change the two together{{$}}
