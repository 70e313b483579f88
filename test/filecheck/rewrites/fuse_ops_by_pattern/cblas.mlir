// RUN: relax-opt %s -p 'relax-fuse-ops-by-pattern{patterns="cblas" annotate-codegen=true}' | filecheck %s

// The largest pattern wins; equal functions are made once, whatever their sizes are called.
relax.func @layers(%x: !relax.tensor<[n, 8], f32>, %w: !relax.tensor<[8, 8], f32>, %b: !relax.tensor<[8], f32>) -> !relax.tensor<[n, 8], f32> {
  %gv = relax.dataflow {
    %0 = relax.matmul %x, %w : (!relax.tensor<[n, 8], f32>, !relax.tensor<[8, 8], f32>) -> !relax.tensor<[n, 8], f32>
    %1 = relax.add %0, %b : (!relax.tensor<[n, 8], f32>, !relax.tensor<[8], f32>) -> !relax.tensor<[n, 8], f32>
    %2 = relax.relu %1 : (!relax.tensor<[n, 8], f32>) -> !relax.tensor<[n, 8], f32>
    %3 = relax.matmul %2, %w : (!relax.tensor<[n, 8], f32>, !relax.tensor<[8, 8], f32>) -> !relax.tensor<[n, 8], f32>
    %4 = relax.tanh %3 : (!relax.tensor<[n, 8], f32>) -> !relax.tensor<[n, 8], f32>
    relax.output %4 : !relax.tensor<[n, 8], f32>
  }
  relax.return %gv : !relax.tensor<[n, 8], f32>
}
relax.func @ordered(%x: !relax.tensor<[m, 8], f32>, %w: !relax.tensor<[8, 8], f32>) -> !relax.tensor<[m, 8], f32> {
  %0 = relax.matmul %x, %w : (!relax.tensor<[m, 8], f32>, !relax.tensor<[8, 8], f32>) -> !relax.tensor<[m, 8], f32>
  relax.return %0 : !relax.tensor<[m, 8], f32>
}
// What is used elsewhere stays outside, and so does what an effect stands in front of.
relax.func @shared(%x: !relax.tensor<[n, 8], f32>, %w: !relax.tensor<[8, 8], f32>) -> !relax.tensor<[n, 8], f32> {
  %0 = relax.matmul %x, %w : (!relax.tensor<[n, 8], f32>, !relax.tensor<[8, 8], f32>) -> !relax.tensor<[n, 8], f32>
  relax.print %x : (!relax.tensor<[n, 8], f32>) -> ()
  %1 = relax.relu %0 : (!relax.tensor<[n, 8], f32>) -> !relax.tensor<[n, 8], f32>
  relax.return %1 : !relax.tensor<[n, 8], f32>
}
// A gemm has no integers.
relax.func @integers(%x: !relax.tensor<[n, 8], i32>, %w: !relax.tensor<[8, 8], i32>) -> !relax.tensor<[n, 8], i32> {
  %0 = relax.matmul %x, %w : (!relax.tensor<[n, 8], i32>, !relax.tensor<[8, 8], i32>) -> !relax.tensor<[n, 8], i32>
  relax.return %0 : !relax.tensor<[n, 8], i32>
}

// CHECK:        relax.func @layers(%x: !relax.tensor<[n, 8], f32>, %w: !relax.tensor<[8, 8], f32>, %b: !relax.tensor<[8], f32>) -> !relax.tensor<[n, 8], f32> {
// CHECK-NEXT:     %gv = relax.dataflow {
// CHECK-NEXT:       %0 = relax.call @fused_matmul_add_relu(%x, %w, %b) : (!relax.tensor<[n, 8], f32>, !relax.tensor<[8, 8], f32>, !relax.tensor<[8], f32>) -> !relax.tensor<[n, 8], f32>
// CHECK-NEXT:       %1 = relax.call @fused_matmul(%0, %w) : (!relax.tensor<[n, 8], f32>, !relax.tensor<[8, 8], f32>) -> !relax.tensor<[n, 8], f32>
// CHECK-NEXT:       %2 = relax.tanh %1 : (!relax.tensor<[n, 8], f32>) -> !relax.tensor<[n, 8], f32>
// CHECK-NEXT:       relax.output %2 : !relax.tensor<[n, 8], f32>
// CHECK-NEXT:     }
// CHECK-NEXT:     relax.return %gv : !relax.tensor<[n, 8], f32>
// CHECK-NEXT:   }
// CHECK:        relax.func private @fused_matmul_add_relu(%x: !relax.tensor<[n, 8], f32>, %w: !relax.tensor<[8, 8], f32>, %b: !relax.tensor<[8], f32>) -> !relax.tensor<[n, 8], f32> attributes {Composite = "cblas.matmul_bias_relu", Codegen = "cblas"} {
// CHECK-NEXT:     %0 = relax.matmul %x, %w : (!relax.tensor<[n, 8], f32>, !relax.tensor<[8, 8], f32>) -> !relax.tensor<[n, 8], f32>
// CHECK-NEXT:     %1 = relax.add %0, %b : (!relax.tensor<[n, 8], f32>, !relax.tensor<[8], f32>) -> !relax.tensor<[n, 8], f32>
// CHECK-NEXT:     %2 = relax.relu %1 : (!relax.tensor<[n, 8], f32>) -> !relax.tensor<[n, 8], f32>
// CHECK-NEXT:     relax.return %2 : !relax.tensor<[n, 8], f32>
// CHECK-NEXT:   }
// CHECK:        relax.func private @fused_matmul(%0: !relax.tensor<[n, 8], f32>, %w: !relax.tensor<[8, 8], f32>) -> !relax.tensor<[n, 8], f32> attributes {Composite = "cblas.matmul", Codegen = "cblas"} {
// CHECK-NEXT:     %1 = relax.matmul %0, %w : (!relax.tensor<[n, 8], f32>, !relax.tensor<[8, 8], f32>) -> !relax.tensor<[n, 8], f32>
// CHECK-NEXT:     relax.return %1 : !relax.tensor<[n, 8], f32>
// CHECK-NEXT:   }
// CHECK:        relax.func @ordered(%x: !relax.tensor<[m, 8], f32>, %w: !relax.tensor<[8, 8], f32>) -> !relax.tensor<[m, 8], f32> {
// CHECK-NEXT:     %0 = relax.call @fused_matmul(%x, %w) : (!relax.tensor<[m, 8], f32>, !relax.tensor<[8, 8], f32>) -> !relax.tensor<[m, 8], f32>
// CHECK-NEXT:     relax.return %0 : !relax.tensor<[m, 8], f32>
// CHECK-NEXT:   }
// CHECK:        relax.func @shared(%x: !relax.tensor<[n, 8], f32>, %w: !relax.tensor<[8, 8], f32>) -> !relax.tensor<[n, 8], f32> {
// CHECK-NEXT:     %0 = relax.call @fused_matmul(%x, %w) : (!relax.tensor<[n, 8], f32>, !relax.tensor<[8, 8], f32>) -> !relax.tensor<[n, 8], f32>
// CHECK-NEXT:     relax.print %x : (!relax.tensor<[n, 8], f32>) -> ()
// CHECK-NEXT:     %1 = relax.relu %0 : (!relax.tensor<[n, 8], f32>) -> !relax.tensor<[n, 8], f32>
// CHECK-NEXT:     relax.return %1 : !relax.tensor<[n, 8], f32>
// CHECK-NEXT:   }
// CHECK:        relax.func @integers(%x: !relax.tensor<[n, 8], i32>, %w: !relax.tensor<[8, 8], i32>) -> !relax.tensor<[n, 8], i32> {
// CHECK-NEXT:     %0 = relax.matmul %x, %w : (!relax.tensor<[n, 8], i32>, !relax.tensor<[8, 8], i32>) -> !relax.tensor<[n, 8], i32>
// CHECK-NEXT:     relax.return %0 : !relax.tensor<[n, 8], i32>
// CHECK-NEXT:   }
