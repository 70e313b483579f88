// RUN: relax-opt %s -p relax-run-codegen | filecheck %s

// What the generator does not compute stays an ordinary function, with the reason.

relax.func @integers(%x: !relax.tensor<[n, 4], i32>, %w: !relax.tensor<[4, 4], i32>) -> !relax.tensor<[n, 4], i32> attributes {Codegen = "cblas"} {
  %0 = relax.matmul %x, %w : (!relax.tensor<[n, 4], i32>, !relax.tensor<[4, 4], i32>) -> !relax.tensor<[n, 4], i32>
  relax.return %0 : !relax.tensor<[n, 4], i32>
}

// CHECK:       relax.func @integers(
// CHECK-SAME:    attributes {relax.not_offloaded = "cblas: relax.matmul: expected elements of f32 or of f64, found i32"} {
// CHECK-NEXT:    relax.matmul

relax.func @batches(%x: !relax.tensor<[n, 1, 4, 4], f32>, %w: !relax.tensor<[3, 4, 4], f32>) -> !relax.tensor<[n, 3, 4, 4], f32> attributes {Codegen = "cblas"} {
  %0 = relax.matmul %x, %w : (!relax.tensor<[n, 1, 4, 4], f32>, !relax.tensor<[3, 4, 4], f32>) -> !relax.tensor<[n, 3, 4, 4], f32>
  relax.return %0 : !relax.tensor<[n, 3, 4, 4], f32>
}

// CHECK:       relax.func @batches(
// CHECK-SAME:    attributes {relax.not_offloaded = "cblas: relax.matmul: expected equal batches, or one operand without, found [n, 1] and [3]"} {
// CHECK-NEXT:    relax.matmul

// A bias that makes the product larger is no bias of the kernel.

relax.func @larger(%x: !relax.tensor<[4, 4], f32>, %w: !relax.tensor<[4, 4], f32>, %b: !relax.tensor<[n, 1, 4], f32>) -> !relax.tensor<[n, 4, 4], f32> attributes {Codegen = "cblas"} {
  %0 = relax.matmul %x, %w : (!relax.tensor<[4, 4], f32>, !relax.tensor<[4, 4], f32>) -> !relax.tensor<[4, 4], f32>
  %1 = relax.add %0, %b : (!relax.tensor<[4, 4], f32>, !relax.tensor<[n, 1, 4], f32>) -> !relax.tensor<[n, 4, 4], f32>
  relax.return %1 : !relax.tensor<[n, 4, 4], f32>
}

// CHECK:       relax.func @larger(
// CHECK-NEXT:    [[PRODUCT:%.*]] = relax.call_tir @larger_cblas(%x, %w)
// CHECK-NEXT:    relax.add [[PRODUCT]], %b
// CHECK-NOT:   not_offloaded
