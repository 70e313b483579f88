// RUN: relax-opt %s --split-input-file --verify-diagnostics | filecheck %s

// Whole numbers have no such distribution.

relax.func @f(%k: !relax.tensor<[], i64>, %s: !relax.shape<[n]>) -> !relax.object {
  %r = relax.random_uniform %k, %s {dtype = i32} : (!relax.tensor<[], i64>, !relax.shape<[n]>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: error: @f: relax.random_uniform (%r): expected a floating-point type as dtype (C3), found i32; name one, such as f32, and convert the result{{$}}
