// RUN: relax-opt %s -p relax-while-to-recursion | filecheck %s

// The result of the loop is used by what nothing uses: as an unused call, the loop would take its check along.
// CHECK-LABEL: relax.func @unused(
// CHECK: relax.while
// CHECK: relax.match_cast
// CHECK-NOT: relax.call
// CHECK-LABEL: relax.func @used(
// CHECK: relax.call @used_loop(
// CHECK-NOT: relax.while
relax.func @unused(%c: !relax.tensor<[], i1>, %x: !relax.tensor<[n], f32>, %y: !relax.tensor<[?], f32>) -> !relax.tensor<[n], f32> {
  %s = relax.while (%t = %x) : (!relax.tensor<[n], f32>) -> (!relax.tensor<[n], f32>) {
    relax.yield %c : !relax.tensor<[], i1>
  } do {
    %z = relax.match_cast %y : !relax.tensor<[?], f32> -> !relax.tensor<[n], f32>
    relax.yield %z : !relax.tensor<[n], f32>
  }
  %e = relax.if %c : (!relax.tensor<[], i1>) -> !relax.tensor<[n], f32> {
    relax.yield %s : !relax.tensor<[n], f32>
  } else {
    relax.yield %x : !relax.tensor<[n], f32>
  }
  relax.return %x : !relax.tensor<[n], f32>
}
relax.func @used(%c: !relax.tensor<[], i1>, %x: !relax.tensor<[n], f32>, %y: !relax.tensor<[?], f32>) -> !relax.tensor<[n], f32> {
  %s = relax.while (%t = %x) : (!relax.tensor<[n], f32>) -> (!relax.tensor<[n], f32>) {
    relax.yield %c : !relax.tensor<[], i1>
  } do {
    %z = relax.match_cast %y : !relax.tensor<[?], f32> -> !relax.tensor<[n], f32>
    relax.yield %z : !relax.tensor<[n], f32>
  }
  relax.return %s : !relax.tensor<[n], f32>
}
