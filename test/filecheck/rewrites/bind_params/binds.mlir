// RUN: python -c "import numpy as np; np.savez('%t.npz', w=np.float32([1, 2]), b=np.float32([0.5]))"
// RUN: relax-opt %s -p 'relax-bind-params{file="%t.npz"}' | filecheck %s
// RUN: not relax-opt %s -p 'relax-bind-params{file="%t.npz" func=other}' 2>&1 | filecheck %s --check-prefix=NAMES
// RUN: not relax-opt %s -p 'relax-bind-params{file="%t.none"}' 2>&1 | filecheck %s --check-prefix=FILE

// NAMES: relax-bind-params: @other: expected names of parameters (x), found 'w', which none has; rename the array or the parameter
// FILE: expected a readable .npz file of arrays, found none

// k is 2 everywhere; where b is known to be of size 1 only now, its type stays as it was.
relax.func @main(%x: !relax.tensor<[n, k], f32>, %w: !relax.tensor<[k], f32>, %b: !relax.tensor<[?], f32>) -> tuple<!relax.tensor<[n, k], f32>, !relax.tensor<[?], f32>> {
  %y, %z = relax.dataflow {
    %a = relax.multiply %x, %w : (!relax.tensor<[n, k], f32>, !relax.tensor<[k], f32>) -> !relax.tensor<[n, k], f32>
    %c = "test.pureop"(%b) : (!relax.tensor<[?], f32>) -> !relax.tensor<[?], f32>
    relax.output %a, %c : !relax.tensor<[n, k], f32>, !relax.tensor<[?], f32>
  }
  %t = relax.tuple %y, %z : (!relax.tensor<[n, k], f32>, !relax.tensor<[?], f32>) -> tuple<!relax.tensor<[n, k], f32>, !relax.tensor<[?], f32>>
  relax.return %t : tuple<!relax.tensor<[n, k], f32>, !relax.tensor<[?], f32>>
}
relax.func @other(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  relax.return %x : !relax.tensor<[n], f32>
}

// CHECK:       relax.func @main(%x: !relax.tensor<[n, 2], f32>) -> tuple<!relax.tensor<[n, 2], f32>, !relax.tensor<[?], f32>> {
// CHECK-NEXT:    %w = relax.constant dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>
// CHECK-NEXT:    %{{.*}} = relax.constant dense<5.000000e-01> : tensor<1xf32>
// CHECK-NEXT:    %b = relax.let %{{.*}} : (!relax.tensor<[1], f32>) -> !relax.tensor<[?], f32>
// CHECK-NEXT:    %y, %z = relax.dataflow {
// CHECK-NEXT:      %a = relax.multiply %x, %w : (!relax.tensor<[n, 2], f32>, !relax.tensor<[2], f32>) -> !relax.tensor<[n, 2], f32>
// CHECK-NEXT:      %c = "test.pureop"(%b) : (!relax.tensor<[?], f32>) -> !relax.tensor<[?], f32>
// CHECK-NEXT:      relax.output %a, %c : !relax.tensor<[n, 2], f32>, !relax.tensor<[?], f32>
// CHECK-NEXT:    }
// CHECK-NEXT:    %t = relax.tuple %y, %z
// CHECK-NEXT:    relax.return %t
// CHECK-NEXT:  }
