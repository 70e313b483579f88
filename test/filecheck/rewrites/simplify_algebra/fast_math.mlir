// RUN: relax-opt %s -p 'relax-simplify-algebra{fast-math=true}' | filecheck %s

// What holds of real numbers, if it is asked for.
relax.func @real_numbers(%x: !relax.tensor<[n, 4], f32>) -> !relax.object {
  %z = relax.constant dense<0.0> : tensor<f32>
  %a = relax.add %x, %z : (!relax.tensor<[n, 4], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[n, 4], f32>
  %b = relax.log %a : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4], f32>
  %c = relax.exp %b : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4], f32>
  %d = relax.multiply %c, %z : (!relax.tensor<[n, 4], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[n, 4], f32>
  %r = relax.tuple %c, %d : (!relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>) -> tuple<!relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>>
  relax.return %r : tuple<!relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>>
}

// CHECK:       relax.func @real_numbers(%x: !relax.tensor<[n, 4], f32>) -> !relax.object {
// CHECK-NEXT:    %z = relax.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT:    %d = relax.shape [n, 4]
// CHECK-NEXT:    %d_1 = relax.full %d, %z : (!relax.shape<[n, 4]>, !relax.tensor<[], f32>) -> !relax.tensor<[n, 4], f32>
// CHECK-NEXT:    %r = relax.tuple %x, %d_1 : (!relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>) -> tuple<!relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>>
// CHECK-NEXT:    relax.return %r : tuple<!relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>>
// CHECK-NEXT:  }
