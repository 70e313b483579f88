// RUN: not relax-opt %s 2>&1 | filecheck %s

// i8 ends at 127.

relax.func @f() -> !relax.object {
  %r = relax.arange {start = 0 : i64, end = 129 : i64, step = 1 : i64, dtype = i8} : () -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: arange_C4.mlir:6:8: error: @f: relax.arange (%r): expected the end to be a number that i8 holds (C4), found 128; correct the number, or convert the tensor with relax.astype first{{$}}
