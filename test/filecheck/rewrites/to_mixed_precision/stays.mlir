// RUN: relax-opt %s -p 'relax-to-mixed-precision' | filecheck %s
// RUN: relax-opt %s -p 'relax-to-mixed-precision{dtype=bf16}' | filecheck %s --check-prefix=BF16

// f16 holds no 1e6, in a constant or in an attribute; bf16 does.
relax.func @beyond_f16(%x: !relax.tensor<[n, 2], f32>, %w: !relax.tensor<[2, 2], f32>) -> !relax.tensor<[n, 3], f32> {
  %y = relax.dataflow {
    %c = relax.constant dense<[[1.0e6, 0.0], [1.0, 0xFF800000]]> : tensor<2x2xf32>
    %h = relax.matmul %x, %c : (!relax.tensor<[n, 2], f32>, !relax.tensor<[2, 2], f32>) -> !relax.tensor<[n, 2], f32>
    %m = relax.matmul %h, %w : (!relax.tensor<[n, 2], f32>, !relax.tensor<[2, 2], f32>) -> !relax.tensor<[n, 2], f32>
    %k = relax.pad %m {pad_width = array<i64: 0, 0, 1, 0>, pad_value = 1.0e6 : f64} : (!relax.tensor<[n, 2], f32>) -> !relax.tensor<[n, 3], f32>
    relax.output %k : !relax.tensor<[n, 3], f32>
  }
  relax.return %y : !relax.tensor<[n, 3], f32>
}
// CHECK-LABEL: relax.func @beyond_f16
// CHECK:         %c = relax.constant {{.*}} : tensor<2x2xf32>
// CHECK-NEXT:    %h = relax.matmul %x, %c : (!relax.tensor<[n, 2], f32>, !relax.tensor<[2, 2], f32>) -> !relax.tensor<[n, 2], f32>
// CHECK:         %[[M:.*]] = relax.astype %m_1 {dtype = f32}
// CHECK-NEXT:    relax.pad %[[M]]
// BF16-LABEL:  relax.func @beyond_f16
// BF16:          %c = relax.constant {{.*}} : tensor<2x2xbf16>

// Infinities are held; other element types, unknown ones, and what follows an f32 value stay.
relax.func @others(%x: !relax.tensor<[n, 2], f32>, %d: !relax.tensor<[2, 2], f64>, %u: !relax.tensor<[2, 2]>, %i: !relax.tensor<[2, 2], i8>) -> !relax.tensor<[n, 2], f32> {
  %a = relax.matmul %d, %d : (!relax.tensor<[2, 2], f64>, !relax.tensor<[2, 2], f64>) -> !relax.tensor<[2, 2], f64>
  %b = relax.matmul %u, %u : (!relax.tensor<[2, 2]>, !relax.tensor<[2, 2]>) -> !relax.tensor<[2, 2]>
  %c = relax.matmul %i, %i {out_dtype = i32} : (!relax.tensor<[2, 2], i8>, !relax.tensor<[2, 2], i8>) -> !relax.tensor<[2, 2], i32>
  %e = relax.matmul %x, %x {out_dtype = f64} : (!relax.tensor<[n, 2], f32>, !relax.tensor<[n, 2], f32>) -> !relax.tensor<[n, 2], f64>
  %y = relax.exp %x : (!relax.tensor<[n, 2], f32>) -> !relax.tensor<[n, 2], f32>
  relax.return %y : !relax.tensor<[n, 2], f32>
}
// CHECK-LABEL: relax.func @others
// CHECK-NOT:     f16
// CHECK:         relax.return

// A function for a code generator stays.
relax.func private @product(%x: !relax.tensor<[n, 2], f32>, %w: !relax.tensor<[2, 2], f32>) -> !relax.tensor<[n, 2], f32> attributes {Codegen = "cblas"} {
  %y = relax.matmul %x, %w : (!relax.tensor<[n, 2], f32>, !relax.tensor<[2, 2], f32>) -> !relax.tensor<[n, 2], f32>
  relax.return %y : !relax.tensor<[n, 2], f32>
}
// CHECK-LABEL: relax.func private @product
// CHECK-NEXT:    relax.matmul %x, %w : (!relax.tensor<[n, 2], f32>
