// RUN: not relax-opt %s 2>&1 | filecheck %s

// Only floats of 8 bits are saturated.

relax.func @f(%x: !relax.tensor<[4], f32>) -> !relax.object {
  %r = relax.astype %x {dtype = f16, saturate = true} : (!relax.tensor<[4], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: astype_C2.mlir:6:8: error: @f: relax.astype (%r): expected one of f8E4M3FN, f8E4M3FNUZ, f8E5M2, f8E5M2FNUZ, f8E8M0FNU with 'saturate' (C2), found f16; leave it out; relax.clip cuts numbers off{{$}}
