// RUN: not relax-opt %s 2>&1 | filecheck %s

// i8 ends at 127.

relax.func @f(%x: !relax.tensor<[n], i8>) -> !relax.object {
  %r = relax.layout_transform %x {index_map = affine_map<(a) -> (a floordiv 4, a mod 4)>, pad_value = 128 : i64} : (!relax.tensor<[n], i8>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: layout_transform_C4.mlir:6:8: error: @f: relax.layout_transform (%r): expected pad_value to be a number that i8 holds (C4), found 128; correct the number, or convert the tensor with relax.astype first{{$}}
