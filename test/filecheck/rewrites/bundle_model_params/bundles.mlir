// RUN: relax-opt %s -p 'relax-bundle-model-params{param=weights}' | filecheck %s

// Both weights come in one tuple, of which each use takes its own; the call packs them. @plain says no number of inputs.
relax.func @main(%x: !relax.tensor<[n, 4], f32>, %w: !relax.tensor<[4, k], f32>, %b: !relax.tensor<[k], f32>) -> !relax.tensor<[n, k], f32> attributes {num_input = 1 : i64} {
  %gv = relax.dataflow {
    %y = relax.matmul %x, %w : (!relax.tensor<[n, 4], f32>, !relax.tensor<[4, k], f32>) -> !relax.tensor<[n, k], f32>
    %z = relax.add %y, %b : (!relax.tensor<[n, k], f32>, !relax.tensor<[k], f32>) -> !relax.tensor<[n, k], f32>
    relax.output %z : !relax.tensor<[n, k], f32>
  }
  relax.return %gv : !relax.tensor<[n, k], f32>
}
relax.func @plain(%x: !relax.tensor<[2, 4], f32>, %w: !relax.tensor<[4, 3], f32>, %b: !relax.tensor<[3], f32>) -> !relax.tensor<[2, 3], f32> {
  %r = relax.call @main(%x, %w, %b) : (!relax.tensor<[2, 4], f32>, !relax.tensor<[4, 3], f32>, !relax.tensor<[3], f32>) -> !relax.tensor<[2, 3], f32>
  relax.return %r : !relax.tensor<[2, 3], f32>
}

// CHECK:      relax.func @main(%x: !relax.tensor<[n, 4], f32>, %weights: tuple<!relax.tensor<[4, k], f32>, !relax.tensor<[k], f32>>) -> !relax.tensor<[n, k], f32> attributes {num_input = 1 : i64} {
// CHECK-NEXT:   %gv = relax.dataflow {
// CHECK-NEXT:     %w = relax.tuple_get_item %weights {index = 0 : i64} : (tuple<!relax.tensor<[4, k], f32>, !relax.tensor<[k], f32>>) -> !relax.tensor<[4, k], f32>
// CHECK-NEXT:     %y = relax.matmul %x, %w : (!relax.tensor<[n, 4], f32>, !relax.tensor<[4, k], f32>) -> !relax.tensor<[n, k], f32>
// CHECK-NEXT:     %b = relax.tuple_get_item %weights {index = 1 : i64} : (tuple<!relax.tensor<[4, k], f32>, !relax.tensor<[k], f32>>) -> !relax.tensor<[k], f32>
// CHECK-NEXT:     %z = relax.add %y, %b : (!relax.tensor<[n, k], f32>, !relax.tensor<[k], f32>) -> !relax.tensor<[n, k], f32>
// CHECK-NEXT:     relax.output %z : !relax.tensor<[n, k], f32>
// CHECK-NEXT:   }
// CHECK-NEXT:   relax.return %gv : !relax.tensor<[n, k], f32>
// CHECK-NEXT: }
// CHECK:      relax.func @plain(%x: !relax.tensor<[2, 4], f32>, %w: !relax.tensor<[4, 3], f32>, %b: !relax.tensor<[3], f32>) -> !relax.tensor<[2, 3], f32> {
// CHECK-NEXT:   %0 = relax.tuple %w, %b : (!relax.tensor<[4, 3], f32>, !relax.tensor<[3], f32>) -> tuple<!relax.tensor<[4, 3], f32>, !relax.tensor<[3], f32>>
// CHECK-NEXT:   %r = relax.call @main(%x, %0) : (!relax.tensor<[2, 4], f32>, tuple<!relax.tensor<[4, 3], f32>, !relax.tensor<[3], f32>>) -> !relax.tensor<[2, 3], f32>
// CHECK-NEXT:   relax.return %r : !relax.tensor<[2, 3], f32>
// CHECK-NEXT: }
