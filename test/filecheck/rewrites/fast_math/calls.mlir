// RUN: relax-opt %s -p relax-fast-math | filecheck %s

// One prim func for both, but f16 and unknown sizes stay.
relax.func @main(%x: !relax.tensor<[n], f32>, %h: !relax.tensor<[2], f16>, %u: !relax.tensor<[?], f32>) -> tuple<!relax.tensor<[n], f32>, !relax.tensor<[2], f16>, !relax.tensor<[?], f32>> {
  %gv = relax.dataflow {
    %a = relax.tanh %x : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
    %b = relax.tanh %a : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
    %c = relax.exp %h : (!relax.tensor<[2], f16>) -> !relax.tensor<[2], f16>
    %d = relax.erf %u : (!relax.tensor<[?], f32>) -> !relax.tensor<[?], f32>
    %t = relax.tuple %b, %c, %d : (!relax.tensor<[n], f32>, !relax.tensor<[2], f16>, !relax.tensor<[?], f32>) -> tuple<!relax.tensor<[n], f32>, !relax.tensor<[2], f16>, !relax.tensor<[?], f32>>
    relax.output %t : tuple<!relax.tensor<[n], f32>, !relax.tensor<[2], f16>, !relax.tensor<[?], f32>>
  }
  relax.return %gv : tuple<!relax.tensor<[n], f32>, !relax.tensor<[2], f16>, !relax.tensor<[?], f32>>
}

// CHECK:      relax.func @main(%x: !relax.tensor<[n], f32>, %h: !relax.tensor<[2], f16>, %u: !relax.tensor<[?], f32>) -> tuple<!relax.tensor<[n], f32>, !relax.tensor<[2], f16>, !relax.tensor<[?], f32>> {
// CHECK-NEXT:   %gv = relax.dataflow {
// CHECK-NEXT:     %a = relax.call_tir @fast_tanh(%x) : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
// CHECK-NEXT:     %b = relax.call_tir @fast_tanh(%a) : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
// CHECK-NEXT:     %c = relax.exp %h : (!relax.tensor<[2], f16>) -> !relax.tensor<[2], f16>
// CHECK-NEXT:     %d = relax.erf %u : (!relax.tensor<[?], f32>) -> !relax.tensor<[?], f32>
// CHECK-NEXT:     %t = relax.tuple %b, %c, %d : (!relax.tensor<[n], f32>, !relax.tensor<[2], f16>, !relax.tensor<[?], f32>) -> tuple<!relax.tensor<[n], f32>, !relax.tensor<[2], f16>, !relax.tensor<[?], f32>>
// CHECK-NEXT:     relax.output %t : tuple<!relax.tensor<[n], f32>, !relax.tensor<[2], f16>, !relax.tensor<[?], f32>>
// CHECK-NEXT:   }
// CHECK-NEXT:   relax.return %gv : tuple<!relax.tensor<[n], f32>, !relax.tensor<[2], f16>, !relax.tensor<[?], f32>>
// CHECK-NEXT: }
// CHECK-NEXT: func.func private @fast_tanh(%x: tensor<?xf32> {relax.dims = ["n"]}) -> (tensor<?xf32> {relax.dims = ["n"]}) {
