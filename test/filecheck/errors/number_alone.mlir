// RUN: not relax-opt %s 2>&1 | filecheck %s

// A number takes its element type from a tensor.

relax.func @f(%x: !relax.tensor<[n], f16>) -> !relax.object {
  %y = relax.add 1, 2 : () -> !relax.tensor<[], f16>
  relax.return %y : !relax.tensor<[], f16>
}

// CHECK: number_alone.mlir:6:18: error: relax.add: expected an operand or attribute that implies the element type of the number 1, found none; write relax.constant{{$}}
