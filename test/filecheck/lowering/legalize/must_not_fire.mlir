// RUN: relax-opt %s -p relax-legalize | filecheck %s

// What is no operator on tensors stays, and an operator inside of a branch is replaced there.

relax.func @f(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  %c = relax.constant dense<true> : tensor<i1>
  %s = relax.shape_of %x : (!relax.tensor<[n], f32>) -> !relax.shape<[n]>
  %r = relax.match_cast %x : !relax.tensor<[n], f32> -> !relax.tensor<[k], f32>
  relax.return %r : !relax.tensor<[k], f32>
}

// CHECK:     relax.constant
// CHECK:     relax.shape_of %x
// CHECK:     relax.match_cast %x
// CHECK-NOT: func.func
