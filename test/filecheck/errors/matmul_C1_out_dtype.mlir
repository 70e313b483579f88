// RUN: not relax-opt %s 2>&1 | filecheck %s

// No product is a boolean.

relax.func @f(%x: !relax.tensor<[n, m], i8>, %y: !relax.tensor<[m, k], i8>) -> !relax.object {
  %r = relax.matmul %x, %y {out_dtype = i1} : (!relax.tensor<[n, m], i8>, !relax.tensor<[m, k], i8>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: matmul_C1_out_dtype.mlir:6:8: error: @f: relax.matmul (%r): expected out_dtype to be a numeric type (C1), found i1; name one, such as f32 or i32{{$}}
