// RUN: relax-opt %s -p relax-run-codegen | filecheck %s

// A kernel takes the bias, the relu and a transposition; gelu is left to the compiler.

relax.func private @linear_gelu(%x: !relax.tensor<[n, 4], f32>, %w: !relax.tensor<[6, 4], f32>, %b: !relax.tensor<[6], f32>) -> !relax.tensor<[n, 6], f32> attributes {Composite = "cblas.matmul_bias_gelu", Codegen = "cblas"} {
  %gv = relax.dataflow {
    %0 = relax.permute_dims %w : (!relax.tensor<[6, 4], f32>) -> !relax.tensor<[4, 6], f32>
    %1 = relax.matmul %x, %0 : (!relax.tensor<[n, 4], f32>, !relax.tensor<[4, 6], f32>) -> !relax.tensor<[n, 6], f32>
    %2 = relax.add %1, %b : (!relax.tensor<[n, 6], f32>, !relax.tensor<[6], f32>) -> !relax.tensor<[n, 6], f32>
    %3 = relax.gelu %2 : (!relax.tensor<[n, 6], f32>) -> !relax.tensor<[n, 6], f32>
    relax.output %3 : !relax.tensor<[n, 6], f32>
  }
  relax.return %gv : !relax.tensor<[n, 6], f32>
}

// CHECK:       relax.func private @linear_gelu({{.*}}) -> !relax.tensor<[n, 6], f32> attributes {Composite = "cblas.matmul_bias_gelu"} {
// CHECK-NEXT:    %gv = relax.dataflow {
// CHECK-NEXT:      [[SUM:%.*]] = relax.call_tir @linear_gelu_cblas(%x, %w, %b) : (!relax.tensor<[n, 4], f32>, !relax.tensor<[6, 4], f32>, !relax.tensor<[6], f32>) -> !relax.tensor<[n, 6], f32>
// CHECK-NEXT:      [[GELU:%.*]] = relax.gelu [[SUM]] :
// CHECK-NEXT:      relax.output [[GELU]] :

// An operand that others use stays; so does a product whose own value is asked for.

relax.func @shared(%x: !relax.tensor<[4, 4], f64>, %w: !relax.tensor<[4, 4], f64>) -> tuple<!relax.tensor<[4, 4], f64>, !relax.tensor<[4, 4], f64>> attributes {Codegen = "cblas"} {
  %t = relax.permute_dims %w : (!relax.tensor<[4, 4], f64>) -> !relax.tensor<[4, 4], f64>
  %0 = relax.matmul %t, %x : (!relax.tensor<[4, 4], f64>, !relax.tensor<[4, 4], f64>) -> !relax.tensor<[4, 4], f64>
  %1 = relax.add %0, %t : (!relax.tensor<[4, 4], f64>, !relax.tensor<[4, 4], f64>) -> !relax.tensor<[4, 4], f64>
  %2 = relax.tuple %0, %1 : (!relax.tensor<[4, 4], f64>, !relax.tensor<[4, 4], f64>) -> tuple<!relax.tensor<[4, 4], f64>, !relax.tensor<[4, 4], f64>>
  relax.return %2 : tuple<!relax.tensor<[4, 4], f64>, !relax.tensor<[4, 4], f64>>
}

// CHECK:       relax.func @shared(
// CHECK-NEXT:    %t = relax.permute_dims %w :
// CHECK-NEXT:    [[PRODUCT:%.*]] = relax.call_tir @shared_cblas(%w, %x) :
// CHECK-NEXT:    relax.add [[PRODUCT]], %t :

// The body of a kernel says what it means.

// CHECK:       func.func private @linear_gelu_cblas(%x: tensor<?x4xf32> {relax.dims = ["n", "4"]}, %w: tensor<6x4xf32> {relax.dims = ["6", "4"]}, %b: tensor<6xf32> {relax.dims = ["6"]}) -> (tensor<?x6xf32> {relax.dims = ["n", "6"]}) attributes {relax.external = "cblas", relax.options = {transpose_rhs, bias = "row"}} {
// CHECK:         linalg.generic
// CHECK:         arith.mulf
// CHECK:         func.return
// CHECK:       func.func private @shared_cblas({{.*}}) attributes {relax.external = "cblas", relax.options = {transpose_lhs}} {
