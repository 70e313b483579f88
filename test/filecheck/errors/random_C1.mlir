// RUN: relax-opt %s --split-input-file --verify-diagnostics | filecheck %s

// A key is 64 bits.

relax.func @f(%k: !relax.tensor<[], i32>, %s: !relax.shape<[n]>) -> !relax.object {
  %r = relax.random_bits %k, %s : (!relax.tensor<[], i32>, !relax.shape<[n]>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: error: @f: relax.random_bits (%r): expected element type i64 of 'key' (C1), found i32; convert with relax.astype first{{$}}
