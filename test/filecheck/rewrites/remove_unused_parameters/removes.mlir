// RUN: relax-opt %s -p relax-remove-unused-parameters | filecheck %s

// %y goes from @f, and so from @through, which only hands it on.
relax.func @main(%a: !relax.tensor<[n], f32>, %b: !relax.tensor<[m], f32>) -> !relax.object {
  %r = relax.call @through(%a, %b) : (!relax.tensor<[n], f32>, !relax.tensor<[m], f32>) -> !relax.tensor<[n], f32>
  %z = relax.dataflow {
    %s = relax.call @sized(%b) : (!relax.tensor<[m], f32>) -> !relax.tensor<[m], f32>
    relax.output %s : !relax.tensor<[m], f32>
  }
  %t = relax.tuple %r, %z : (!relax.tensor<[n], f32>, !relax.tensor<[m], f32>) -> tuple<!relax.tensor<[n], f32>, !relax.tensor<[m], f32>>
  relax.return %t : tuple<!relax.tensor<[n], f32>, !relax.tensor<[m], f32>>
}
relax.func private @through(%x: !relax.tensor<[n], f32>, %y: !relax.tensor<[m], f32>) -> !relax.tensor<[n], f32> {
  %r = relax.call @f(%x, %y) : (!relax.tensor<[n], f32>, !relax.tensor<[m], f32>) -> !relax.tensor<[n], f32>
  relax.return %r : !relax.tensor<[n], f32>
}
relax.func private @f(%x: !relax.tensor<[n], f32>, %y: !relax.tensor<[m], f32>) -> !relax.tensor<[n], f32> {
  %z = relax.exp %x : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  relax.return %z : !relax.tensor<[n], f32>
}
// The size alone is needed.
relax.func private @sized(%x: !relax.tensor<[k], f32>) -> !relax.tensor<[k], f32> {
  %s = relax.shape [k]
  %z = relax.zeros %s {dtype = f32} : (!relax.shape<[k]>) -> !relax.tensor<[k], f32>
  relax.return %z : !relax.tensor<[k], f32>
}

// CHECK:      relax.func @main(%a: !relax.tensor<[n], f32>, %b: !relax.tensor<[m], f32>) -> !relax.object {
// CHECK-NEXT:   %r = relax.call @through(%a) : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
// CHECK-NEXT:   %z = relax.dataflow {
// CHECK-NEXT:     %0 = relax.shape [m]
// CHECK-NEXT:     %s = relax.call @sized(%0) : (!relax.shape<[m]>) -> !relax.tensor<[m], f32>
// CHECK-NEXT:     relax.output %s : !relax.tensor<[m], f32>
// CHECK-NEXT:   }
// CHECK-NEXT:   %t = relax.tuple %r, %z : (!relax.tensor<[n], f32>, !relax.tensor<[m], f32>) -> tuple<!relax.tensor<[n], f32>, !relax.tensor<[m], f32>>
// CHECK-NEXT:   relax.return %t : tuple<!relax.tensor<[n], f32>, !relax.tensor<[m], f32>>
// CHECK-NEXT: }
// CHECK:      relax.func private @through(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
// CHECK-NEXT:   %r = relax.call @f(%x) : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
// CHECK-NEXT:   relax.return %r : !relax.tensor<[n], f32>
// CHECK-NEXT: }
// CHECK:      relax.func private @f(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
// CHECK-NEXT:   %z = relax.exp %x : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
// CHECK-NEXT:   relax.return %z : !relax.tensor<[n], f32>
// CHECK-NEXT: }
// CHECK:      relax.func private @sized(%sizes: !relax.shape<[k]>) -> !relax.tensor<[k], f32> {
// CHECK-NEXT:   %s = relax.shape [k]
// CHECK-NEXT:   %z = relax.zeros %s {dtype = f32} : (!relax.shape<[k]>) -> !relax.tensor<[k], f32>
// CHECK-NEXT:   relax.return %z : !relax.tensor<[k], f32>
// CHECK-NEXT: }
