// RUN: relax-opt %s -p relax-propagate-shapes | filecheck %s

// Nothing is proved: a check of an unknown size, a broadcast, a size that may be zero, next to another.
relax.func @nothing(%x: !relax.tensor<[n], f32>, %y: !relax.tensor<[m], f32>, %u: !relax.tensor<[?], f32>) -> !relax.object {
  %a = relax.add %x, %y : (!relax.tensor<[n], f32>, !relax.tensor<[m], f32>) -> !relax.tensor<[broadcast(m, n)], f32>
  %v = relax.match_cast %u : !relax.tensor<[?], f32> -> !relax.tensor<[q], f32>
  %b = relax.add %x, %y : (!relax.tensor<[n], f32>, !relax.tensor<[m], f32>) -> !relax.tensor<[broadcast(m, n)], f32>
  %t = relax.tuple %a, %b, %v : (!relax.tensor<[broadcast(m, n)], f32>, !relax.tensor<[broadcast(m, n)], f32>, !relax.tensor<[q], f32>) -> tuple<!relax.tensor<[broadcast(m, n)], f32>, !relax.tensor<[broadcast(m, n)], f32>, !relax.tensor<[q], f32>>
  relax.return %t : tuple<!relax.tensor<[broadcast(m, n)], f32>, !relax.tensor<[broadcast(m, n)], f32>, !relax.tensor<[q], f32>>
}
// CHECK-LABEL: relax.func @nothing
// CHECK-NEXT:    %a = relax.add %x, %y : (!relax.tensor<[n], f32>, !relax.tensor<[m], f32>) -> !relax.tensor<[broadcast(m, n)], f32>
// CHECK-NEXT:    %v = relax.match_cast %u : !relax.tensor<[?], f32> -> !relax.tensor<[q], f32>
// CHECK-NEXT:    %b = relax.add %x, %y : (!relax.tensor<[n], f32>, !relax.tensor<[m], f32>) -> !relax.tensor<[broadcast(m, n)], f32>
// CHECK-NEXT:    %t = relax.tuple %a, %b, %v
