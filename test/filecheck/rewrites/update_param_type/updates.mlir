// RUN: relax-opt %s -p 'relax-update-param-type{params=w types="!relax.tensor<[m, 16], f32>"}' | filecheck %s

// The loop carries what has changed, the call gives it, and the object stays as wide as it was declared.
relax.func private @layer(%x: !relax.tensor<[16], f32>, %w: !relax.tensor<[32, 16], f32>) -> !relax.tensor<[32], f32> {
  %y = relax.matmul %w, %x : (!relax.tensor<[32, 16], f32>, !relax.tensor<[16], f32>) -> !relax.tensor<[32], f32>
  relax.return %y : !relax.tensor<[32], f32>
}
relax.func @main(%x: !relax.tensor<[16], f32>, %w: !relax.tensor<[32, 16], f32>, %p: !relax.tensor<[], i1>) -> tuple<!relax.tensor<[32], f32>, !relax.object> {
  %y = relax.dataflow {
    %c = relax.call @layer(%x, %w) : (!relax.tensor<[16], f32>, !relax.tensor<[32, 16], f32>) -> !relax.tensor<[32], f32>
    %z = relax.exp %c : (!relax.tensor<[32], f32>) -> !relax.tensor<[32], f32>
    relax.output %z : !relax.tensor<[32], f32>
  }
  %s = relax.while (%t = %y) : (!relax.tensor<[32], f32>) -> !relax.tensor<[32], f32> {
    relax.yield %p : !relax.tensor<[], i1>
  } do {
    %n = relax.tanh %t : (!relax.tensor<[32], f32>) -> !relax.tensor<[32], f32>
    relax.yield %n : !relax.tensor<[32], f32>
  }
  %o = relax.let %w : (!relax.tensor<[32, 16], f32>) -> !relax.object
  %r = relax.tuple %s, %o : (!relax.tensor<[32], f32>, !relax.object) -> tuple<!relax.tensor<[32], f32>, !relax.object>
  relax.return %r : tuple<!relax.tensor<[32], f32>, !relax.object>
}

// CHECK:      relax.func private @layer(%x: !relax.tensor<[16], f32>, %w: !relax.tensor<[m, 16], f32>) -> !relax.tensor<[m], f32> {
// CHECK-NEXT:   %y = relax.matmul %w, %x : (!relax.tensor<[m, 16], f32>, !relax.tensor<[16], f32>) -> !relax.tensor<[m], f32>
// CHECK-NEXT:   relax.return %y : !relax.tensor<[m], f32>
// CHECK-NEXT: }
// CHECK-NEXT: relax.func @main(%x: !relax.tensor<[16], f32>, %w: !relax.tensor<[m, 16], f32>, %p: !relax.tensor<[], i1>) -> tuple<!relax.tensor<[m], f32>, !relax.object> {
// CHECK-NEXT:   %y = relax.dataflow {
// CHECK-NEXT:     %c = relax.call @layer(%x, %w) : (!relax.tensor<[16], f32>, !relax.tensor<[m, 16], f32>) -> !relax.tensor<[m], f32>
// CHECK-NEXT:     %z = relax.exp %c : (!relax.tensor<[m], f32>) -> !relax.tensor<[m], f32>
// CHECK-NEXT:     relax.output %z : !relax.tensor<[m], f32>
// CHECK-NEXT:   }
// CHECK-NEXT:   %s = relax.while (%t = %y) : (!relax.tensor<[m], f32>) -> !relax.tensor<[m], f32> {
// CHECK-NEXT:     relax.yield %p : !relax.tensor<[], i1>
// CHECK-NEXT:   } do {
// CHECK-NEXT:     %n = relax.tanh %t : (!relax.tensor<[m], f32>) -> !relax.tensor<[m], f32>
// CHECK-NEXT:     relax.yield %n : !relax.tensor<[m], f32>
// CHECK-NEXT:   }
// CHECK-NEXT:   %o = relax.let %w : (!relax.tensor<[m, 16], f32>) -> !relax.object
// CHECK-NEXT:   %r = relax.tuple %s, %o : (!relax.tensor<[m], f32>, !relax.object) -> tuple<!relax.tensor<[m], f32>, !relax.object>
// CHECK-NEXT:   relax.return %r : tuple<!relax.tensor<[m], f32>, !relax.object>
// CHECK-NEXT: }
