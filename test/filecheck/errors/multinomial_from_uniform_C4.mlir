// RUN: relax-opt %s --split-input-file --verify-diagnostics | filecheck %s

// There is no place to draw.

relax.func @f(%p: !relax.tensor<[b, 0], f32>, %u: !relax.tensor<[n, 1], f32>, %s: !relax.tensor<[n, 1], i64>) -> !relax.object {
  %r = relax.multinomial_from_uniform %p, %u, %s : (!relax.tensor<[b, 0], f32>, !relax.tensor<[n, 1], f32>, !relax.tensor<[n, 1], i64>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: error: @f: relax.multinomial_from_uniform (%r): expected 1 or more elements along a distribution (C4), found 0; leave the operator out where there is nothing to draw{{$}}
