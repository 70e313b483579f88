// RUN: relax-opt %s -p relax-to-a-normal-form | filecheck %s

// A constant is bound in the innermost region around its uses, there in the order of the text.

// CHECK-LABEL: relax.func @constants(
// CHECK-NEXT:    %one = relax.constant
// CHECK-NEXT:    %a = relax.add %x, %one
// CHECK-NEXT:    %r = relax.if %c
// CHECK-NEXT:      %two = relax.constant
// CHECK-NEXT:      %b = relax.multiply %a, %two
relax.func @constants(%x: !relax.tensor<[], f32>, %c: !relax.tensor<[], i1>) -> !relax.tensor<[], f32> {
  %g = relax.graph {
    %two = relax.constant dense<2.0> : tensor<f32>
    %one = relax.constant dense<1.0> : tensor<f32>
    %a = relax.add %x, %one : (!relax.tensor<[], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[], f32>
    %r = relax.if %c : (!relax.tensor<[], i1>) -> !relax.tensor<[], f32> {
      %b = relax.multiply %a, %two : (!relax.tensor<[], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[], f32>
      relax.yield %b : !relax.tensor<[], f32>
    } else {
      %d = relax.add %a, %one : (!relax.tensor<[], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[], f32>
      relax.yield %d : !relax.tensor<[], f32>
    }
    relax.output %r : !relax.tensor<[], f32>
  }
  relax.return %g : !relax.tensor<[], f32>
}
