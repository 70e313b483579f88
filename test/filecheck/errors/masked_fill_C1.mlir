// RUN: not relax-opt %s 2>&1 | filecheck %s

// A number is no truth value.

relax.func @f(%x: !relax.tensor<[n], f32>, %y: !relax.tensor<[n], i8>) -> !relax.object {
  %r = relax.masked_fill %x, %y {value = 0 : i64} : (!relax.tensor<[n], f32>, !relax.tensor<[n], i8>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: masked_fill_C1.mlir:6:8: error: @f: relax.masked_fill (%r): expected a boolean element type of 'mask' (C1), found i8; compare with 0 by relax.not_equal, or convert with relax.astype, first{{$}}
