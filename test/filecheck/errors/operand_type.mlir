// RUN: not relax-opt %s 2>&1 | filecheck %s

// The signature names the type that the operand has.

relax.func @f(%x: !relax.tensor<[n, 4], f32>) -> !relax.object {
  %y = relax.exp %x : (!relax.tensor<[n, 5], f32>) -> !relax.tensor<[n, 5], f32>
  relax.return %x : !relax.tensor<[n, 4], f32>
}

// CHECK: operand_type.mlir:6:18: error: expected an operand of type !relax.tensor<[n, 4], f32>, as it was defined or used before, found !relax.tensor<[n, 5], f32>; write the same type at both{{$}}
