// RUN: relax-opt %s -p 'relax-fuse-ops-by-pattern{patterns="cblas"}' | filecheck %s

// k and m stand bare in no tensor: a shape brings them in. In a branch as elsewhere.
relax.func @main(%c: !relax.tensor<[], i1>, %x: !relax.tensor<[n, 2 * k], f32>, %w: !relax.tensor<[2 * k, m + 1], f32>, %s: !relax.shape<[k, m]>) -> !relax.tensor<[n, m + 1], f32> {
  %y = relax.if %c : (!relax.tensor<[], i1>) -> !relax.tensor<[n, m + 1], f32> {
    %0 = relax.matmul %x, %w : (!relax.tensor<[n, 2 * k], f32>, !relax.tensor<[2 * k, m + 1], f32>) -> !relax.tensor<[n, m + 1], f32>
    relax.yield %0 : !relax.tensor<[n, m + 1], f32>
  } else {
    %1 = relax.matmul %x, %w : (!relax.tensor<[n, 2 * k], f32>, !relax.tensor<[2 * k, m + 1], f32>) -> !relax.tensor<[n, m + 1], f32>
    %2 = relax.negative %1 : (!relax.tensor<[n, m + 1], f32>) -> !relax.tensor<[n, m + 1], f32>
    relax.yield %2 : !relax.tensor<[n, m + 1], f32>
  }
  relax.return %y : !relax.tensor<[n, m + 1], f32>
}

// CHECK:        relax.func @main(%c: !relax.tensor<[], i1>, %x: !relax.tensor<[n, 2 * k], f32>, %w: !relax.tensor<[2 * k, m + 1], f32>, %s: !relax.shape<[k, m]>) -> !relax.tensor<[n, m + 1], f32> {
// CHECK-NEXT:     %y = relax.if %c : (!relax.tensor<[], i1>) -> !relax.tensor<[n, m + 1], f32> {
// CHECK-NEXT:       %0 = relax.shape [k, m]
// CHECK-NEXT:       %1 = relax.call @fused_matmul(%x, %w, %0) : (!relax.tensor<[n, 2 * k], f32>, !relax.tensor<[2 * k, m + 1], f32>, !relax.shape<[k, m]>) -> !relax.tensor<[n, m + 1], f32>
// CHECK-NEXT:       relax.yield %1 : !relax.tensor<[n, m + 1], f32>
// CHECK-NEXT:     } else {
// CHECK-NEXT:       %2 = relax.shape [k, m]
// CHECK-NEXT:       %3 = relax.call @fused_matmul(%x, %w, %2) : (!relax.tensor<[n, 2 * k], f32>, !relax.tensor<[2 * k, m + 1], f32>, !relax.shape<[k, m]>) -> !relax.tensor<[n, m + 1], f32>
// CHECK-NEXT:       %4 = relax.negative %3 : (!relax.tensor<[n, m + 1], f32>) -> !relax.tensor<[n, m + 1], f32>
// CHECK-NEXT:       relax.yield %4 : !relax.tensor<[n, m + 1], f32>
// CHECK-NEXT:     }
// CHECK-NEXT:     relax.return %y : !relax.tensor<[n, m + 1], f32>
// CHECK-NEXT:   }
// CHECK:        relax.func private @fused_matmul(%x: !relax.tensor<[n, 2 * k], f32>, %w: !relax.tensor<[2 * k, m + 1], f32>, %0: !relax.shape<[k, m]>) -> !relax.tensor<[n, m + 1], f32> attributes {Composite = "cblas.matmul"} {
// CHECK-NEXT:     %1 = relax.matmul %x, %w : (!relax.tensor<[n, 2 * k], f32>, !relax.tensor<[2 * k, m + 1], f32>) -> !relax.tensor<[n, m + 1], f32>
// CHECK-NEXT:     relax.return %1 : !relax.tensor<[n, m + 1], f32>
// CHECK-NEXT:   }
