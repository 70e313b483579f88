// RUN: not relax-opt %s 2>&1 | filecheck %s

// A number stands for a constant in the body of a relax.func.

func.func @f(%x: !relax.tensor<[n], f32>) {
  %y = relax.add %x, 1.0 : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  func.return
}

// CHECK: number_outside.mlir:6:22: error: relax.add: expected values as operands outside of relax.func, found 1.0; write relax.constant{{$}}
