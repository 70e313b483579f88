// RUN: not relax-opt %s 2>&1 | filecheck %s

// i8 ends at 127.

relax.func @f(%x: !relax.tensor<[n], i8>, %y: !relax.tensor<[n], i1>) -> !relax.object {
  %r = relax.masked_fill %x, %y {value = 128 : i64} : (!relax.tensor<[n], i8>, !relax.tensor<[n], i1>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: masked_fill_C3.mlir:6:8: error: @f: relax.masked_fill (%r): expected value to be a number that i8 holds (C3), found 128; correct the number, or convert the tensor with relax.astype first{{$}}
