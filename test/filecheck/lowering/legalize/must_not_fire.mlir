// RUN: relax-opt %s -p relax-legalize | filecheck %s

// What is no operator on tensors stays.

relax.func @f(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[?], f32> {
  %s = relax.shape_of %x : (!relax.tensor<[n], f32>) -> !relax.shape<[n]>
  %r = relax.match_cast %x : !relax.tensor<[n], f32> -> !relax.tensor<[k], f32>
  relax.return %r : !relax.tensor<[k], f32>
}

// CHECK:     relax.shape_of %x
// CHECK:     relax.match_cast %x
// CHECK-NOT: func.func
