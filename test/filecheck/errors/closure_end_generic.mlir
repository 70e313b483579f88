// RUN: not relax-opt %s 2>&1 | filecheck %s

// A closure's body ends in relax.return.

relax.func @f(%x: !relax.tensor<[], f32>) -> !relax.object {
  %g = "relax.closure"() ({
    "test.termop"() : () -> ()
  }) : () -> !relax.func<() -> !relax.tensor<[], f32>>
  relax.return %x : !relax.tensor<[], f32>
}

// CHECK: closure_end_generic.mlir:6:8: error: @f: relax.closure (%g): expected a relax.return at the end of the body (C1), found test.termop; return the closure's value{{$}}
