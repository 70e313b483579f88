// RUN: relax-opt %s -p canonicalize | filecheck %s
// RUN: xdsl-opt %s -p canonicalize | filecheck %s

// xDSL's own canonicalize knows that a view and back is nothing; sizes that a view forgets stay forgotten.

relax.func @same(%x: !relax.tensor<[4], f32>, %t: tensor<?xf32>) -> !relax.object {
  %a = relax.to_builtin %x : (!relax.tensor<[4], f32>) -> tensor<4xf32>
  %b = relax.from_builtin %a : (tensor<4xf32>) -> !relax.tensor<[4], f32>
  %c = relax.from_builtin %t : (tensor<?xf32>) -> !relax.tensor<[?], f32>
  %d = relax.to_builtin %c : (!relax.tensor<[?], f32>) -> tensor<?xf32>
  %e = "test.op"(%d) : (tensor<?xf32>) -> tensor<?xf32>
  %r = relax.tuple %b : (!relax.tensor<[4], f32>) -> tuple<!relax.tensor<[4], f32>>
  relax.return %r : tuple<!relax.tensor<[4], f32>>
}
// CHECK:       relax.func @same(
// CHECK-NEXT:    %e = "test.op"(%t)
// CHECK-NEXT:    %r = relax.tuple %x
// CHECK-NEXT:    relax.return %r

relax.func @forgotten(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[?], f32> {
  %a = relax.to_builtin %x : (!relax.tensor<[n], f32>) -> tensor<?xf32>
  %b = relax.from_builtin %a : (tensor<?xf32>) -> !relax.tensor<[?], f32>
  relax.return %b : !relax.tensor<[?], f32>
}
// CHECK:       relax.func @forgotten(
// CHECK-NEXT:    %b = relax.let %x : (!relax.tensor<[n], f32>) -> !relax.tensor<[?], f32>
// CHECK-NEXT:    relax.return %b
