// RUN: relax-opt %s -p relax-remove-unused-parameters | filecheck %s

// Nothing is removed: from what is public, made into a value, or checked by a call; a shape that tells a size; a
// parameter that only the function itself is handed.
relax.func @main(%a: !relax.tensor<[n], f32>, %u: !relax.tensor<[?], f32>) -> !relax.object {
  %f = relax.make_closure @value() : () -> !relax.func<[k] (!relax.tensor<[k], f32>) -> !relax.tensor<[], f32>>
  %v = relax.call @value(%a) : (!relax.tensor<[n], f32>) -> !relax.tensor<[], f32>
  %c = relax.call @checked(%a, %u) : (!relax.tensor<[n], f32>, !relax.tensor<[?], f32>) -> !relax.tensor<[n], f32>
  %s = relax.shape [n]
  %z = relax.call @shaped(%s) : (!relax.shape<[n]>) -> !relax.tensor<[n], f32>
  %o = relax.call @unknown(%u) : (!relax.tensor<[?], f32>) -> !relax.tensor<[?], f32>
  %r = relax.call @again(%a, %a) : (!relax.tensor<[n], f32>, !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  %t = relax.tuple %f, %v, %c, %z, %o, %r : (!relax.func<[k] (!relax.tensor<[k], f32>) -> !relax.tensor<[], f32>>, !relax.tensor<[], f32>, !relax.tensor<[n], f32>, !relax.tensor<[n], f32>, !relax.tensor<[?], f32>, !relax.tensor<[n], f32>) -> tuple<!relax.func<[k] (!relax.tensor<[k], f32>) -> !relax.tensor<[], f32>>, !relax.tensor<[], f32>, !relax.tensor<[n], f32>, !relax.tensor<[n], f32>, !relax.tensor<[?], f32>, !relax.tensor<[n], f32>>
  relax.return %t : tuple<!relax.func<[k] (!relax.tensor<[k], f32>) -> !relax.tensor<[], f32>>, !relax.tensor<[], f32>, !relax.tensor<[n], f32>, !relax.tensor<[n], f32>, !relax.tensor<[?], f32>, !relax.tensor<[n], f32>>
}
relax.func @public(%x: !relax.tensor<[k], f32>) -> !relax.tensor<[], f32> {
  %c = relax.constant dense<1.0> : tensor<f32>
  relax.return %c : !relax.tensor<[], f32>
}
relax.func private @value(%x: !relax.tensor<[k], f32>) -> !relax.tensor<[], f32> {
  %c = relax.constant dense<1.0> : tensor<f32>
  relax.return %c : !relax.tensor<[], f32>
}
relax.func private @checked(%x: !relax.tensor<[k], f32>, %y: !relax.tensor<[k], f32>) -> !relax.tensor<[k], f32> {
  relax.return %x : !relax.tensor<[k], f32>
}
relax.func private @shaped(%s: !relax.shape<[k]>) -> !relax.tensor<[k], f32> {
  %n = relax.shape [k]
  %z = relax.zeros %n {dtype = f32} : (!relax.shape<[k]>) -> !relax.tensor<[k], f32>
  relax.return %z : !relax.tensor<[k], f32>
}
relax.func private @unknown(%x: !relax.tensor<[k], f32>) -> !relax.tensor<[k], f32> {
  %n = relax.shape [k]
  %z = relax.zeros %n {dtype = f32} : (!relax.shape<[k]>) -> !relax.tensor<[k], f32>
  relax.return %z : !relax.tensor<[k], f32>
}
relax.func private @again(%x: !relax.tensor<[k], f32>, %y: !relax.tensor<[k], f32>) -> !relax.tensor<[k], f32> {
  %z = relax.call @again(%x, %y) : (!relax.tensor<[k], f32>, !relax.tensor<[k], f32>) -> !relax.tensor<[k], f32>
  relax.return %z : !relax.tensor<[k], f32>
}

// CHECK:      relax.func @main(%a: !relax.tensor<[n], f32>, %u: !relax.tensor<[?], f32>) -> !relax.object {
// CHECK-NEXT:   %f = relax.make_closure @value() : () -> !relax.func<[k] (!relax.tensor<[k], f32>) -> !relax.tensor<[], f32>>
// CHECK-NEXT:   %v = relax.call @value(%a) : (!relax.tensor<[n], f32>) -> !relax.tensor<[], f32>
// CHECK-NEXT:   %c = relax.call @checked(%a, %u) : (!relax.tensor<[n], f32>, !relax.tensor<[?], f32>) -> !relax.tensor<[n], f32>
// CHECK-NEXT:   %s = relax.shape [n]
// CHECK-NEXT:   %z = relax.call @shaped(%s) : (!relax.shape<[n]>) -> !relax.tensor<[n], f32>
// CHECK-NEXT:   %o = relax.call @unknown(%u) : (!relax.tensor<[?], f32>) -> !relax.tensor<[?], f32>
// CHECK-NEXT:   %r = relax.call @again(%a, %a) : (!relax.tensor<[n], f32>, !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
// CHECK-NEXT:   %t = relax.tuple %f, %v, %c, %z, %o, %r : (!relax.func<[k] (!relax.tensor<[k], f32>) -> !relax.tensor<[], f32>>, !relax.tensor<[], f32>, !relax.tensor<[n], f32>, !relax.tensor<[n], f32>, !relax.tensor<[?], f32>, !relax.tensor<[n], f32>) -> tuple<!relax.func<[k] (!relax.tensor<[k], f32>) -> !relax.tensor<[], f32>>, !relax.tensor<[], f32>, !relax.tensor<[n], f32>, !relax.tensor<[n], f32>, !relax.tensor<[?], f32>, !relax.tensor<[n], f32>>
// CHECK-NEXT:   relax.return %t : tuple<!relax.func<[k] (!relax.tensor<[k], f32>) -> !relax.tensor<[], f32>>, !relax.tensor<[], f32>, !relax.tensor<[n], f32>, !relax.tensor<[n], f32>, !relax.tensor<[?], f32>, !relax.tensor<[n], f32>>
// CHECK-NEXT: }
// CHECK:      relax.func @public(%x: !relax.tensor<[k], f32>) -> !relax.tensor<[], f32> {
// CHECK-NEXT:   %c = relax.constant dense<1.000000e+00> : tensor<f32>
// CHECK-NEXT:   relax.return %c : !relax.tensor<[], f32>
// CHECK-NEXT: }
// CHECK:      relax.func private @value(%x: !relax.tensor<[k], f32>) -> !relax.tensor<[], f32> {
// CHECK-NEXT:   %c = relax.constant dense<1.000000e+00> : tensor<f32>
// CHECK-NEXT:   relax.return %c : !relax.tensor<[], f32>
// CHECK-NEXT: }
// CHECK:      relax.func private @checked(%x: !relax.tensor<[k], f32>, %y: !relax.tensor<[k], f32>) -> !relax.tensor<[k], f32> {
// CHECK-NEXT:   relax.return %x : !relax.tensor<[k], f32>
// CHECK-NEXT: }
// CHECK:      relax.func private @shaped(%s: !relax.shape<[k]>) -> !relax.tensor<[k], f32> {
// CHECK-NEXT:   %n = relax.shape [k]
// CHECK-NEXT:   %z = relax.zeros %n {dtype = f32} : (!relax.shape<[k]>) -> !relax.tensor<[k], f32>
// CHECK-NEXT:   relax.return %z : !relax.tensor<[k], f32>
// CHECK-NEXT: }
// CHECK:      relax.func private @unknown(%x: !relax.tensor<[k], f32>) -> !relax.tensor<[k], f32> {
// CHECK-NEXT:   %n = relax.shape [k]
// CHECK-NEXT:   %z = relax.zeros %n {dtype = f32} : (!relax.shape<[k]>) -> !relax.tensor<[k], f32>
// CHECK-NEXT:   relax.return %z : !relax.tensor<[k], f32>
// CHECK-NEXT: }
// CHECK:      relax.func private @again(%x: !relax.tensor<[k], f32>, %y: !relax.tensor<[k], f32>) -> !relax.tensor<[k], f32> {
// CHECK-NEXT:   %z = relax.call @again(%x, %y) : (!relax.tensor<[k], f32>, !relax.tensor<[k], f32>) -> !relax.tensor<[k], f32>
// CHECK-NEXT:   relax.return %z : !relax.tensor<[k], f32>
// CHECK-NEXT: }
