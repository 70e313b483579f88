// RUN: relax-opt %s -p relax-remove-unused-parameters | filecheck %s

// The sizes that only an unused parameter defines are passed; those that a used one defines are not.
relax.func private @f(%x: !relax.tensor<[2 * n], f32>, %y: !relax.tensor<[3 * m], f32>, %z: !relax.tensor<[m + 1], f32>) -> !relax.tensor<[3 * m], f32> {
  %s = relax.shape [n, m]
  relax.print %s : (!relax.shape<[n, m]>) -> ()
  relax.return %y : !relax.tensor<[3 * m], f32>
}
relax.func @main(%x: !relax.tensor<[6 * k], f32>, %y: !relax.tensor<[12], f32>, %z: !relax.tensor<[5], f32>) -> !relax.tensor<[12], f32> {
  %r = relax.call @f(%x, %y, %z) : (!relax.tensor<[6 * k], f32>, !relax.tensor<[12], f32>, !relax.tensor<[5], f32>) -> !relax.tensor<[12], f32>
  relax.return %r : !relax.tensor<[12], f32>
}

// CHECK: builtin.module {
// CHECK-NEXT:   relax.func private @f(%y: !relax.tensor<[3 * m], f32>, %sizes: !relax.shape<[n]>) -> !relax.tensor<[3 * m], f32> {
// CHECK-NEXT:     %s = relax.shape [n, m]
// CHECK-NEXT:     relax.print %s : (!relax.shape<[n, m]>) -> ()
// CHECK-NEXT:     relax.return %y : !relax.tensor<[3 * m], f32>
// CHECK-NEXT:   }
// CHECK-NEXT:   relax.func @main(%x: !relax.tensor<[6 * k], f32>, %y: !relax.tensor<[12], f32>, %z: !relax.tensor<[5], f32>) -> !relax.tensor<[12], f32> {
// CHECK-NEXT:     %0 = relax.shape [3 * k]
// CHECK-NEXT:     %r = relax.call @f(%y, %0) : (!relax.tensor<[12], f32>, !relax.shape<[3 * k]>) -> !relax.tensor<[12], f32>
// CHECK-NEXT:     relax.return %r : !relax.tensor<[12], f32>
// CHECK-NEXT:   }
// CHECK-NEXT: }
