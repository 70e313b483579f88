// RUN: relax-opt %s -p 'relax-cse{call-only=true}' | filecheck %s

// Operators and calls are merged; tuples, fields, shapes, constants, names and checks are left alone.
relax.func @main(%x: !relax.tensor<[?], f32>) -> !relax.object {
  %a = relax.exp %x : (!relax.tensor<[?], f32>) -> !relax.tensor<[?], f32>
  %b = relax.exp %x : (!relax.tensor<[?], f32>) -> !relax.tensor<[?], f32>
  %f = relax.call @helper(%a) : (!relax.tensor<[?], f32>) -> !relax.tensor<[?], f32>
  %g = relax.call @helper(%b) : (!relax.tensor<[?], f32>) -> !relax.tensor<[?], f32>
  %c = relax.constant dense<1.0> : tensor<f32>
  %d = relax.constant dense<1.0> : tensor<f32>
  %m = relax.match_cast %x : !relax.tensor<[?], f32> -> !relax.tensor<[n], f32>
  %o = relax.match_cast %x : !relax.tensor<[?], f32> -> !relax.tensor<[n], f32>
  %s = relax.shape [n]
  %u = relax.shape [n]
  %t = relax.tuple %f, %g, %c, %d, %s, %u, %m, %o : (!relax.tensor<[?], f32>, !relax.tensor<[?], f32>, !relax.tensor<[], f32>, !relax.tensor<[], f32>, !relax.shape<[n]>, !relax.shape<[n]>, !relax.tensor<[n], f32>, !relax.tensor<[n], f32>) -> tuple<!relax.tensor<[?], f32>, !relax.tensor<[?], f32>, !relax.tensor<[], f32>, !relax.tensor<[], f32>, !relax.shape<[n]>, !relax.shape<[n]>, !relax.tensor<[n], f32>, !relax.tensor<[n], f32>>
  relax.return %t : tuple<!relax.tensor<[?], f32>, !relax.tensor<[?], f32>, !relax.tensor<[], f32>, !relax.tensor<[], f32>, !relax.shape<[n]>, !relax.shape<[n]>, !relax.tensor<[n], f32>, !relax.tensor<[n], f32>>
}
relax.func private @helper(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  relax.return %x : !relax.tensor<[n], f32>
}

// CHECK:      relax.func @main(%x: !relax.tensor<[?], f32>) -> !relax.object {
// CHECK-NEXT:   %a = relax.exp %x : (!relax.tensor<[?], f32>) -> !relax.tensor<[?], f32>
// CHECK-NEXT:   %f = relax.call @helper(%a) : (!relax.tensor<[?], f32>) -> !relax.tensor<[?], f32>
// CHECK-NEXT:   %c = relax.constant dense<1.000000e+00> : tensor<f32>
// CHECK-NEXT:   %d = relax.constant dense<1.000000e+00> : tensor<f32>
// CHECK-NEXT:   %m = relax.match_cast %x : !relax.tensor<[?], f32> -> !relax.tensor<[n], f32>
// CHECK-NEXT:   %o = relax.match_cast %x : !relax.tensor<[?], f32> -> !relax.tensor<[n], f32>
// CHECK-NEXT:   %s = relax.shape [n]
// CHECK-NEXT:   %u = relax.shape [n]
// CHECK-NEXT:   %t = relax.tuple %f, %f, %c, %d, %s, %u, %m, %o : (!relax.tensor<[?], f32>, !relax.tensor<[?], f32>, !relax.tensor<[], f32>, !relax.tensor<[], f32>, !relax.shape<[n]>, !relax.shape<[n]>, !relax.tensor<[n], f32>, !relax.tensor<[n], f32>) -> tuple<!relax.tensor<[?], f32>, !relax.tensor<[?], f32>, !relax.tensor<[], f32>, !relax.tensor<[], f32>, !relax.shape<[n]>, !relax.shape<[n]>, !relax.tensor<[n], f32>, !relax.tensor<[n], f32>>
// CHECK-NEXT:   relax.return %t : tuple<!relax.tensor<[?], f32>, !relax.tensor<[?], f32>, !relax.tensor<[], f32>, !relax.tensor<[], f32>, !relax.shape<[n]>, !relax.shape<[n]>, !relax.tensor<[n], f32>, !relax.tensor<[n], f32>>
// CHECK-NEXT: }
// CHECK:      relax.func private @helper(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
// CHECK-NEXT:   relax.return %x : !relax.tensor<[n], f32>
// CHECK-NEXT: }
