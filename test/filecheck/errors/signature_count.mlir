// RUN: not relax-opt %s 2>&1 | filecheck %s

// The signature has a type for each operand.

relax.func @f(%x: !relax.tensor<[n, 4], f32>) -> !relax.object {
  %y = relax.exp %x : (!relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4], f32>
  relax.return %x : !relax.tensor<[n, 4], f32>
}

// CHECK: signature_count.mlir:6:23: error: relax.exp: expected operand types in the signature: 1, found 2; write one type for each operand{{$}}
