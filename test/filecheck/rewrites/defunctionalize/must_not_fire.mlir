// RUN: relax-opt %s -p relax-defunctionalize | filecheck %s

// Neither makes nor calls a function value: everything stays, also what nothing calls.
relax.func private @unused(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  relax.return %x : !relax.tensor<[n], f32>
}
relax.func @main(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  %y = relax.dataflow {
    %0 = relax.call @unused(%x) : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
    relax.output %0 : !relax.tensor<[n], f32>
  }
  relax.return %y : !relax.tensor<[n], f32>
}
// CHECK:      relax.func private @unused(
// CHECK:      relax.func @main(
// CHECK-NEXT:   %y = relax.dataflow {
// CHECK-NEXT:     %0 = relax.call @unused(%x)
// CHECK-NEXT:     relax.output %0
// CHECK-NEXT:   }
// CHECK-NEXT:   relax.return %y
