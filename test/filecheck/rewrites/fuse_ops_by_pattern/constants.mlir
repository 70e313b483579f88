// RUN: relax-opt %s -p 'relax-fuse-ops-by-pattern{patterns="cblas.matmul"}' | filecheck %s
// RUN: relax-opt %s -p 'relax-fuse-ops-by-pattern{patterns="cblas.matmul" bind-constants=false}' | filecheck %s --check-prefix PASSED

// Without annotate-codegen the functions are composites alone.
relax.func @main(%x: !relax.tensor<[n, 2], f32>) -> !relax.tensor<[n, 2], f32> {
  %w = relax.constant dense<2.0> : tensor<2x2xf32>
  %0 = relax.matmul %x, %w : (!relax.tensor<[n, 2], f32>, !relax.tensor<[2, 2], f32>) -> !relax.tensor<[n, 2], f32>
  relax.return %0 : !relax.tensor<[n, 2], f32>
}

// CHECK:        relax.func @main(%x: !relax.tensor<[n, 2], f32>) -> !relax.tensor<[n, 2], f32> {
// CHECK-NEXT:     %0 = relax.call @fused_matmul(%x) : (!relax.tensor<[n, 2], f32>) -> !relax.tensor<[n, 2], f32>
// CHECK-NEXT:     relax.return %0 : !relax.tensor<[n, 2], f32>
// CHECK-NEXT:   }
// CHECK:        relax.func private @fused_matmul(%x: !relax.tensor<[n, 2], f32>) -> !relax.tensor<[n, 2], f32> attributes {Composite = "cblas.matmul"} {
// CHECK-NEXT:     %w = relax.constant dense<2.000000e+00> : tensor<2x2xf32>
// CHECK-NEXT:     %0 = relax.matmul %x, %w : (!relax.tensor<[n, 2], f32>, !relax.tensor<[2, 2], f32>) -> !relax.tensor<[n, 2], f32>
// CHECK-NEXT:     relax.return %0 : !relax.tensor<[n, 2], f32>
// CHECK-NEXT:   }

// PASSED:        relax.func @main(%x: !relax.tensor<[n, 2], f32>) -> !relax.tensor<[n, 2], f32> {
// PASSED-NEXT:     %w = relax.constant dense<2.000000e+00> : tensor<2x2xf32>
// PASSED-NEXT:     %0 = relax.call @fused_matmul(%x, %w) : (!relax.tensor<[n, 2], f32>, !relax.tensor<[2, 2], f32>) -> !relax.tensor<[n, 2], f32>
// PASSED-NEXT:     relax.return %0 : !relax.tensor<[n, 2], f32>
// PASSED-NEXT:   }
// PASSED:        relax.func private @fused_matmul(%x: !relax.tensor<[n, 2], f32>, %w: !relax.tensor<[2, 2], f32>) -> !relax.tensor<[n, 2], f32> attributes {Composite = "cblas.matmul"} {
// PASSED-NEXT:     %0 = relax.matmul %x, %w : (!relax.tensor<[n, 2], f32>, !relax.tensor<[2, 2], f32>) -> !relax.tensor<[n, 2], f32>
// PASSED-NEXT:     relax.return %0 : !relax.tensor<[n, 2], f32>
// PASSED-NEXT:   }
