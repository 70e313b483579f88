// RUN: not relax-opt %s 2>&1 | filecheck %s

// A star is no letter.

relax.func @f(%x: !relax.tensor<[n, 4], f32>) -> !relax.object {
  %r = relax.einsum %x {subscripts = "i*->i"} : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: einsum_C2.mlir:6:8: error: @f: relax.einsum (%r): expected letters, with '...' at most once, between commas and '->' (C2), found 'i*'; write them as in 'bij,bjk->bik'{{$}}
