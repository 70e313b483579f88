// RUN: not relax-opt %s 2>&1 | filecheck %s

// There is no such axis.

relax.func @f(%x: !relax.tensor<[n, 4], f32>, %y: !relax.tensor<[4], f32>, %z: !relax.tensor<[], i8>) -> !relax.object {
  %r = relax.quantize %x, %y, %z {axis = 2 : i64} : (!relax.tensor<[n, 4], f32>, !relax.tensor<[4], f32>, !relax.tensor<[], i8>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: quantize_C2.mlir:6:8: error: @f: relax.quantize (%r): expected an axis from -2 to 1 for a tensor of rank 2 (C2), found 2; axes count from zero, negative ones from the end{{$}}
