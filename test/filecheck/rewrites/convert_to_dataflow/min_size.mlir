// RUN: relax-opt %s -p 'relax-convert-to-dataflow{min-size=2}' | filecheck %s

relax.func @f(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  %y = relax.binding_block {
    %a = relax.exp %x : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
    relax.print %a : (!relax.tensor<[n], f32>) -> ()
    %b = relax.tanh %a : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
    %c = relax.exp %b : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
    relax.output %c : !relax.tensor<[n], f32>
  }
  relax.return %y : !relax.tensor<[n], f32>
}

// CHECK:       relax.func @f(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
// CHECK-NEXT:    %a = relax.binding_block {
// CHECK-NEXT:      %a_1 = relax.exp %x : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
// CHECK-NEXT:      relax.print %a_1 : (!relax.tensor<[n], f32>) -> ()
// CHECK-NEXT:      relax.output %a_1 : !relax.tensor<[n], f32>
// CHECK-NEXT:    }
// CHECK-NEXT:    %c = relax.dataflow {
// CHECK-NEXT:      %b = relax.tanh %a : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
// CHECK-NEXT:      %c_1 = relax.exp %b : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
// CHECK-NEXT:      relax.output %c_1 : !relax.tensor<[n], f32>
// CHECK-NEXT:    }
// CHECK-NEXT:    relax.return %c : !relax.tensor<[n], f32>
// CHECK-NEXT:  }
