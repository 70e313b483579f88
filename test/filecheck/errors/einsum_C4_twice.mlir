// RUN: not relax-opt %s 2>&1 | filecheck %s

// The result cannot be a diagonal.

relax.func @f(%x: !relax.tensor<[n, 4], f32>) -> !relax.object {
  %r = relax.einsum %x {subscripts = "ij->ii"} : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: einsum_C4_twice.mlir:6:8: error: @f: relax.einsum (%r): expected each letter once in the result (C4), found ii; name it once{{$}}
