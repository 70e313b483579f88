// RUN: not relax-opt %s 2>&1 | filecheck %s

// Only powers of two are rounded up or down.

relax.func @f(%x: !relax.tensor<[4], f32>) -> !relax.object {
  %r = relax.astype %x {dtype = f8E5M2, rounding = "up"} : (!relax.tensor<[4], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: astype_C3.mlir:6:8: error: @f: relax.astype (%r): expected f8E8M0FNU with 'rounding' (C3), found f8E5M2; leave it out{{$}}
