// RUN: relax-opt %s -p relax-to-basic-block-normal-form | filecheck %s
// RUN: relax-opt %s -p relax-to-basic-block-normal-form | relax-opt

// A block whose output was widened by a let passes out the narrower type without it.
// CHECK:      %{{.*}}, %[[passed:.*]] = relax.binding_block {
// CHECK:        relax.output %v56x, %[[v:.*]] : !relax.tensor<[n], f32>, !relax.tensor<[n], f32>
// CHECK-NEXT: }
// CHECK-NEXT: relax.let %[[passed]] : (!relax.tensor<[n], f32>) -> !relax.tensor<[?], f32>
relax.func @main(%x: !relax.tensor<[n], f32>, %c: !relax.tensor<[], i1>) -> !relax.tensor<[n], f32> {
  %v61x, %v62x = relax.graph {
    %v53x = relax.exp %x : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
    %v55x = relax.let %v53x : (!relax.tensor<[n], f32>) -> !relax.tensor<[?], f32>
    %v57x, %v58x = relax.binding_block {
      %v56x = relax.negative %v53x : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
      relax.output %v56x, %v55x : !relax.tensor<[n], f32>, !relax.tensor<[?], f32>
    }
    relax.output %v57x, %v58x : !relax.tensor<[n], f32>, !relax.tensor<[?], f32>
  }
  %v68x = relax.if %c : (!relax.tensor<[], i1>) -> !relax.tensor<[?], f32> {
    relax.yield %v62x : !relax.tensor<[?], f32>
  } else {
    relax.yield %v62x : !relax.tensor<[?], f32>
  }
  %t = relax.shape_of %v68x : (!relax.tensor<[?], f32>) -> !relax.shape<[?]>
  %u = relax.match_shape %t [n] : (!relax.shape<[?]>) -> !relax.shape<[n]>
  relax.return %v61x : !relax.tensor<[n], f32>
}
