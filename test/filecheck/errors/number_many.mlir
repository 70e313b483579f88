// RUN: not relax-opt %s 2>&1 | filecheck %s

// A number is none of many tensors.

relax.func @f(%x: !relax.tensor<[n], f16>) -> !relax.object {
  %y = relax.concat %x, 3 {axis = 0 : i64} : (!relax.tensor<[n], f16>) -> !relax.tensor<[?], f16>
  relax.return %y : !relax.tensor<[?], f16>
}

// CHECK: number_many.mlir:6:25: error: relax.concat: expected values as operands, found 3; write relax.constant for a tensor, relax.shape for sizes{{$}}
