// RUN: not relax-opt %s 2>&1 | filecheck %s

// The bias is not of the type that the products are added up in.

relax.func @f(%x: !relax.tensor<[n, 4], i8>, %y: !relax.tensor<[3, 4], i8>, %z: !relax.tensor<[3], i8>) -> !relax.object {
  %r = relax.linear %x, %y, %z {out_dtype = i32} : (!relax.tensor<[n, 4], i8>, !relax.tensor<[3, 4], i8>, !relax.tensor<[3], i8>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: linear_C3_dtype.mlir:6:8: error: @f: relax.linear (%r): expected operands of one element type (C3), found i32 and i8; convert one of them with relax.astype{{$}}
