// RUN: not relax-opt %s 2>&1 | filecheck %s

// A number is no shape.

relax.func @f(%x: !relax.tensor<[n], f16>) -> !relax.object {
  %y = relax.zeros 3 {dtype = f32} : () -> !relax.tensor<[3], f32>
  relax.return %y : !relax.tensor<[3], f32>
}

// CHECK: number_shape.mlir:6:20: error: relax.zeros: expected values as operands, found 3; write relax.constant for a tensor, relax.shape for sizes{{$}}
