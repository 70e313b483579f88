// RUN: relax-opt %s -p relax-run-codegen | filecheck %s

// A marked function that calls composite functions of the generator stands for these: each is done once,
// and those of others are ordinary functions.

relax.func private @product(%x: !relax.tensor<[n, 4], f32>, %w: !relax.tensor<[4, 4], f32>) -> !relax.tensor<[n, 4], f32> attributes {Composite = "cblas.matmul"} {
  %0 = relax.matmul %x, %w : (!relax.tensor<[n, 4], f32>, !relax.tensor<[4, 4], f32>) -> !relax.tensor<[n, 4], f32>
  relax.return %0 : !relax.tensor<[n, 4], f32>
}

relax.func private @other(%x: !relax.tensor<[n, 4], f32>, %w: !relax.tensor<[4, 4], f32>) -> !relax.tensor<[n, 4], f32> attributes {Composite = "cblas2.matmul"} {
  %0 = relax.matmul %x, %w : (!relax.tensor<[n, 4], f32>, !relax.tensor<[4, 4], f32>) -> !relax.tensor<[n, 4], f32>
  relax.return %0 : !relax.tensor<[n, 4], f32>
}

relax.func private @both(%x: !relax.tensor<[n, 4], f32>, %w: !relax.tensor<[4, 4], f32>) -> !relax.tensor<[n, 4], f32> attributes {Codegen = "cblas"} {
  %0 = relax.call @product(%x, %w) : (!relax.tensor<[n, 4], f32>, !relax.tensor<[4, 4], f32>) -> !relax.tensor<[n, 4], f32>
  %1 = relax.call @product(%0, %w) : (!relax.tensor<[n, 4], f32>, !relax.tensor<[4, 4], f32>) -> !relax.tensor<[n, 4], f32>
  %2 = relax.call @other(%1, %w) : (!relax.tensor<[n, 4], f32>, !relax.tensor<[4, 4], f32>) -> !relax.tensor<[n, 4], f32>
  relax.return %2 : !relax.tensor<[n, 4], f32>
}

// CHECK:       relax.func private @product(
// CHECK-SAME:      attributes {Composite = "cblas.matmul"}
// CHECK-NEXT:    relax.call_tir @product_cblas(%x, %w)
// CHECK:       relax.func private @other(
// CHECK-NEXT:    relax.matmul
// CHECK:       relax.func private @both(
// CHECK-NOT:     Codegen
// CHECK-COUNT-2: relax.call @product(
// CHECK-NEXT:    relax.call @other(
// CHECK:       func.func private @product_cblas(
// CHECK-SAME:      attributes {relax.external = "cblas"}
// CHECK-NOT:   relax.external
