// RUN: not relax-opt %s 2>&1 | filecheck %s

// The text of a constant leaves its type out, so it has no other.

relax.func @f() -> !relax.object {
  %c = "relax.constant"() <{value = dense<1.0> : tensor<2xf32>}> : () -> !relax.tensor<[?], f32>
  relax.return %c : !relax.tensor<[?], f32>
}

// CHECK: constant_type_generic.mlir:6:8: error: @f: relax.constant (%c): expected the result type !relax.tensor<[2], f32>, which the syntax implies (T1), found !relax.tensor<[?], f32>; declare that type{{$}}
