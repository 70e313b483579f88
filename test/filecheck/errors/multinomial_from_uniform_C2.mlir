// RUN: relax-opt %s --split-input-file --verify-diagnostics | filecheck %s

// Places are numbered.

relax.func @f(%p: !relax.tensor<[b, 5], f32>, %u: !relax.tensor<[n, 1], f32>, %s: !relax.tensor<[n, 1], i64>) -> !relax.object {
  %r = relax.multinomial_from_uniform %p, %u, %s {dtype = f32} : (!relax.tensor<[b, 5], f32>, !relax.tensor<[n, 1], f32>, !relax.tensor<[n, 1], i64>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: error: @f: relax.multinomial_from_uniform (%r): expected an integer type as dtype (C2), found f32; name one, such as i64{{$}}
