// RUN: relax-opt %s -p 'relax-fuse-ops-by-pattern{patterns="cblas" annotate-codegen=true},relax-run-codegen' | filecheck %s
// RUN: relax-opt %s -p 'relax-fuse-ops-by-pattern{patterns="cblas"},relax-merge-composite-functions,relax-run-codegen' | filecheck %s --check-prefix=MERGED

// The table of patterns that comes with the code generator marks what its library computes.

relax.func @main(%x: !relax.tensor<[n, 4], f32>, %w: !relax.tensor<[4, 4], f32>, %b: !relax.tensor<[4], f32>) -> !relax.tensor<[n, 4], f32> {
  %gv = relax.dataflow {
    %t = relax.permute_dims %w : (!relax.tensor<[4, 4], f32>) -> !relax.tensor<[4, 4], f32>
    %0 = relax.matmul %x, %t : (!relax.tensor<[n, 4], f32>, !relax.tensor<[4, 4], f32>) -> !relax.tensor<[n, 4], f32>
    %1 = relax.add %b, %0 : (!relax.tensor<[4], f32>, !relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4], f32>
    %2 = relax.relu %1 : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4], f32>
    %3 = relax.linear %2, %w, %b : (!relax.tensor<[n, 4], f32>, !relax.tensor<[4, 4], f32>, !relax.tensor<[4], f32>) -> !relax.tensor<[n, 4], f32>
    relax.output %3 : !relax.tensor<[n, 4], f32>
  }
  relax.return %gv : !relax.tensor<[n, 4], f32>
}

// CHECK:       relax.func @main(
// CHECK:         [[RELU:%.*]] = relax.call @[[FIRST:[a-z_]+]](%w, %x, %b)
// CHECK-NEXT:    relax.call @[[SECOND:[a-z_]+]]([[RELU]], %w, %b)
// CHECK:       relax.func private @[[FIRST]](
// CHECK-SAME:    attributes {Composite = "cblas.matmul_bias_relu"} {
// CHECK-NEXT:    relax.call_tir @[[FIRST]]_cblas(%x, %w, %b)
// CHECK:       relax.func private @[[SECOND]](
// CHECK-SAME:    attributes {Composite = "cblas.linear"} {
// CHECK:       attributes {relax.external = "cblas", relax.options = {transpose_rhs, bias = "row", activation = "relu"}}
// CHECK:       attributes {relax.external = "cblas", relax.options = {transpose_rhs, bias = "row"}}

// MERGED:      relax.func @main(
// MERGED-COUNT-1: relax.call @
// MERGED:      relax.func private @
// MERGED-NOT:    Codegen
// MERGED:        relax.call @[[FIRST:fused[a-z_]+]](%w, %x, %b)
// MERGED-NEXT:   relax.call @[[SECOND:fused[a-z_]+]](
// MERGED-COUNT-2: attributes {relax.external = "cblas"
