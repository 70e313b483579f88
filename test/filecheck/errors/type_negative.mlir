// RUN: not relax-opt %s 2>&1 | filecheck %s

// No size is negative.

relax.func @f(%x: !relax.tensor<[-1], f32>) -> !relax.object {
  relax.return %x : !relax.tensor<[-1], f32>
}

// CHECK: type_negative.mlir:5:32: error: size '-1': expected at least 0, found -1 at most; write ? if it is unknown{{$}}
