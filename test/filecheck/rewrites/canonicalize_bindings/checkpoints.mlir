// RUN: relax-opt -p relax-canonicalize-bindings,relax-cse,relax-dce %s | filecheck %s

// Neighbours that are checkpoints stay apart.

relax.func @two(%x: !relax.tensor<[n], f32>) -> tuple<!relax.tensor<[n], f32>, !relax.tensor<[n], f32>> {
  %a = relax.dataflow attributes {checkpoint} {
    %e = relax.exp %x : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
    relax.output %e : !relax.tensor<[n], f32>
  }
  %b = relax.dataflow attributes {checkpoint} {
    %s = relax.sin %a : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
    relax.output %s : !relax.tensor<[n], f32>
  }
  %t = relax.tuple %a, %b : (!relax.tensor<[n], f32>, !relax.tensor<[n], f32>) -> tuple<!relax.tensor<[n], f32>, !relax.tensor<[n], f32>>
  relax.return %t : tuple<!relax.tensor<[n], f32>, !relax.tensor<[n], f32>>
}

// CHECK:      %a = relax.dataflow attributes {checkpoint} {
// CHECK-NEXT:   relax.exp
// CHECK-NEXT:   relax.output
// CHECK-NEXT: }
// CHECK-NEXT: %b = relax.dataflow attributes {checkpoint} {
// CHECK-NEXT:   relax.sin
