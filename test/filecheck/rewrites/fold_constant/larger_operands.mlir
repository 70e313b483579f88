// RUN: relax-opt %s -p 'relax-fold-constant{max-elements=2}' | filecheck %s

// A result larger than max-elements is folded where its operands together are no smaller.
relax.func @main() -> tuple<!relax.tensor<[4], f32>, !relax.tensor<[2, 4], f32>> {
  %a = relax.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %s = relax.shape [2, 4]
  %b = relax.negative %a : (!relax.tensor<[4], f32>) -> !relax.tensor<[4], f32>
  %c = relax.broadcast_to %b, %s : (!relax.tensor<[4], f32>, !relax.shape<[2, 4]>) -> !relax.tensor<[2, 4], f32>
  %t = relax.tuple %b, %c : (!relax.tensor<[4], f32>, !relax.tensor<[2, 4], f32>) -> tuple<!relax.tensor<[4], f32>, !relax.tensor<[2, 4], f32>>
  relax.return %t : tuple<!relax.tensor<[4], f32>, !relax.tensor<[2, 4], f32>>
}

// CHECK:       %b = relax.constant dense<[-1.000000e+00, -2.000000e+00, -3.000000e+00, -4.000000e+00]> : tensor<4xf32>
// CHECK-NEXT:  %c = relax.broadcast_to %b, %s
