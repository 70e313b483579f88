// RUN: not relax-opt %s 2>&1 | filecheck %s

// i8 ends at 127.

relax.func @f(%x: !relax.tensor<[n], i8>) -> !relax.object {
  %r = relax.pad %x {pad_width = array<i64: 1, 1>, pad_value = 128 : i64} : (!relax.tensor<[n], i8>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: pad_C3.mlir:6:8: error: @f: relax.pad (%r): expected pad_value to be a number that i8 holds (C3), found 128; correct the number, or convert the tensor with relax.astype first{{$}}
