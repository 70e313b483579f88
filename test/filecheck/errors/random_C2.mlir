// RUN: relax-opt %s --split-input-file --verify-diagnostics | filecheck %s

// There is one key.

relax.func @f(%k: !relax.tensor<[2], i64>, %s: !relax.shape<[n]>) -> !relax.object {
  %r = relax.random_bits %k, %s : (!relax.tensor<[2], i64>, !relax.shape<[n]>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: error: @f: relax.random_bits (%r): expected 'key' of rank 0 (C2), found rank 1; take one element of it{{$}}
