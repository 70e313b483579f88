// RUN: not relax-opt %s 2>&1 | filecheck %s

// The tensor says its element type.

relax.func @f(%x: !relax.tensor<[n]>) -> !relax.object {
  %y = relax.add %x, 2 : (!relax.tensor<[n]>) -> !relax.tensor<[n]>
  relax.return %y : !relax.tensor<[n]>
}

// CHECK: number_unknown.mlir:6:22: error: relax.add: expected an operand or attribute that implies the element type of the number 2, found none; write relax.constant{{$}}
