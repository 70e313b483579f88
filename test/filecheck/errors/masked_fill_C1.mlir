// RUN: not relax-opt %s 2>&1 | filecheck %s

// A number is no truth value.

relax.func @f(%x: !relax.tensor<[n], f32>, %y: !relax.tensor<[n], i8>) -> !relax.object {
  %r = relax.masked_fill %x, %y {value = 0 : i64} : (!relax.tensor<[n], f32>, !relax.tensor<[n], i8>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: masked_fill_C1.mlir:6:8: error: @f: relax.masked_fill (%r): expected a mask of booleans (C1), found i8; compare, or convert with relax.astype{{$}}
