// RUN: relax-opt %s -p relax-lift-transform-params | filecheck %s

// What the weights alone decide is computed by a function of them; @main takes that, and %b, which it still needs.
relax.func @main(%x: !relax.tensor<[n, 4], f32>, %w: !relax.tensor<[m, 4], f32>, %b: !relax.tensor<[m], f32>) -> tuple<!relax.tensor<[n, m], f32>, !relax.tensor<[4, m], f32>> attributes {num_input = 1 : i64} {
  %z, %t = relax.dataflow {
    %c = relax.constant dense<1.0> : tensor<f32>
    %d = relax.add %b, %c : (!relax.tensor<[m], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[m], f32>
    %u = relax.permute_dims %w : (!relax.tensor<[m, 4], f32>) -> !relax.tensor<[4, m], f32>
    %y = relax.matmul %x, %u : (!relax.tensor<[n, 4], f32>, !relax.tensor<[4, m], f32>) -> !relax.tensor<[n, m], f32>
    %a = relax.add %y, %d : (!relax.tensor<[n, m], f32>, !relax.tensor<[m], f32>) -> !relax.tensor<[n, m], f32>
    %v = relax.multiply %a, %b : (!relax.tensor<[n, m], f32>, !relax.tensor<[m], f32>) -> !relax.tensor<[n, m], f32>
    relax.output %v, %u : !relax.tensor<[n, m], f32>, !relax.tensor<[4, m], f32>
  }
  %r = relax.tuple %z, %t : (!relax.tensor<[n, m], f32>, !relax.tensor<[4, m], f32>) -> tuple<!relax.tensor<[n, m], f32>, !relax.tensor<[4, m], f32>>
  relax.return %r : tuple<!relax.tensor<[n, m], f32>, !relax.tensor<[4, m], f32>>
}

// CHECK:      relax.func @main_transform_params(%model_params: tuple<!relax.tensor<[m, 4], f32>, !relax.tensor<[m], f32>>) -> tuple<!relax.tensor<[m], f32>, !relax.tensor<[m], f32>, !relax.tensor<[4, m], f32>> attributes {num_input = 0 : i64} {
// CHECK-NEXT:   %0 = relax.dataflow {
// CHECK-NEXT:     %c = relax.constant dense<1.000000e+00> : tensor<f32>
// CHECK-NEXT:     %b = relax.tuple_get_item %model_params {index = 1 : i64} : (tuple<!relax.tensor<[m, 4], f32>, !relax.tensor<[m], f32>>) -> !relax.tensor<[m], f32>
// CHECK-NEXT:     %d = relax.add %b, %c : (!relax.tensor<[m], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[m], f32>
// CHECK-NEXT:     %w = relax.tuple_get_item %model_params {index = 0 : i64} : (tuple<!relax.tensor<[m, 4], f32>, !relax.tensor<[m], f32>>) -> !relax.tensor<[m, 4], f32>
// CHECK-NEXT:     %u = relax.permute_dims %w : (!relax.tensor<[m, 4], f32>) -> !relax.tensor<[4, m], f32>
// CHECK-NEXT:     %b_1 = relax.tuple_get_item %model_params {index = 1 : i64} : (tuple<!relax.tensor<[m, 4], f32>, !relax.tensor<[m], f32>>) -> !relax.tensor<[m], f32>
// CHECK-NEXT:     %1 = relax.tuple %b_1, %d, %u : (!relax.tensor<[m], f32>, !relax.tensor<[m], f32>, !relax.tensor<[4, m], f32>) -> tuple<!relax.tensor<[m], f32>, !relax.tensor<[m], f32>, !relax.tensor<[4, m], f32>>
// CHECK-NEXT:     relax.output %1 : tuple<!relax.tensor<[m], f32>, !relax.tensor<[m], f32>, !relax.tensor<[4, m], f32>>
// CHECK-NEXT:   }
// CHECK-NEXT:   relax.return %0 : tuple<!relax.tensor<[m], f32>, !relax.tensor<[m], f32>, !relax.tensor<[4, m], f32>>
// CHECK-NEXT: }
// CHECK:      relax.func @main(%x: !relax.tensor<[n, 4], f32>, %b: !relax.tensor<[m], f32>, %d: !relax.tensor<[m], f32>, %u: !relax.tensor<[4, m], f32>) -> tuple<!relax.tensor<[n, m], f32>, !relax.tensor<[4, m], f32>> attributes {num_input = 1 : i64} {
// CHECK-NEXT:   %z = relax.dataflow {
// CHECK-NEXT:     %y = relax.matmul %x, %u : (!relax.tensor<[n, 4], f32>, !relax.tensor<[4, m], f32>) -> !relax.tensor<[n, m], f32>
// CHECK-NEXT:     %a = relax.add %y, %d : (!relax.tensor<[n, m], f32>, !relax.tensor<[m], f32>) -> !relax.tensor<[n, m], f32>
// CHECK-NEXT:     %v = relax.multiply %a, %b : (!relax.tensor<[n, m], f32>, !relax.tensor<[m], f32>) -> !relax.tensor<[n, m], f32>
// CHECK-NEXT:     relax.output %v : !relax.tensor<[n, m], f32>
// CHECK-NEXT:   }
// CHECK-NEXT:   %r = relax.tuple %z, %u : (!relax.tensor<[n, m], f32>, !relax.tensor<[4, m], f32>) -> tuple<!relax.tensor<[n, m], f32>, !relax.tensor<[4, m], f32>>
// CHECK-NEXT:   relax.return %r : tuple<!relax.tensor<[n, m], f32>, !relax.tensor<[4, m], f32>>
// CHECK-NEXT: }
