// RUN: relax-opt %s -p relax-quantize-activations | filecheck %s
// RUN: relax-opt %s -p 'relax-quantize-activations{group=64}' | filecheck %s --check-prefix=LONG

// Groups of rows that narrow weights multiply are rounded, once for both products.

// CHECK-LABEL: relax.func @main
// CHECK:         %{{.*}} = relax.reshape %x, %{{.*}} -> !relax.tensor<[n, 2, 32], f32>
// CHECK:         relax.abs
// CHECK:         relax.max %{{.*}} {axis = array<i64: -1>} {{.*}} -> !relax.tensor<[n, 2], f32>
// CHECK:         relax.multiply
// CHECK:         %[[SCALE:.*]] = relax.maximum
// CHECK:         %codes = relax.quantize %x, %[[SCALE]], %{{.*}} {block_size = 32 : i64}
// CHECK:         %[[ROWS:.*]] = relax.dequantize %codes, %[[SCALE]], %{{.*}} {block_size = 32 : i64}
// CHECK:         %y = relax.matmul %[[ROWS]], %w
// CHECK:         %z = relax.matmul %[[ROWS]], %v
// CHECK-NOT:     relax.quantize
// LONG:          relax.quantize {{.*}} {block_size = 64 : i64}
relax.func @main(%x: !relax.tensor<[n, 64], f32>) -> !relax.tensor<[n, 48], f32> {
  %q = relax.constant dense<-5> : tensor<64x48xi8>
  %p = relax.constant dense<100> : tensor<64x48xi8>
  %s = relax.constant dense<0.5> : tensor<48xf32>
  %zero = relax.constant dense<0> : tensor<i8>
  %w = relax.dequantize %q, %s, %zero : (!relax.tensor<[64, 48], i8>, !relax.tensor<[48], f32>, !relax.tensor<[], i8>) -> !relax.tensor<[64, 48], f32>
  %v = relax.dequantize %p, %s, %zero : (!relax.tensor<[64, 48], i8>, !relax.tensor<[48], f32>, !relax.tensor<[], i8>) -> !relax.tensor<[64, 48], f32>
  %y = relax.matmul %x, %w : (!relax.tensor<[n, 64], f32>, !relax.tensor<[64, 48], f32>) -> !relax.tensor<[n, 48], f32>
  %z = relax.matmul %x, %v : (!relax.tensor<[n, 64], f32>, !relax.tensor<[64, 48], f32>) -> !relax.tensor<[n, 48], f32>
  %a = relax.add %y, %z : (!relax.tensor<[n, 48], f32>, !relax.tensor<[n, 48], f32>) -> !relax.tensor<[n, 48], f32>
  relax.return %a : !relax.tensor<[n, 48], f32>
}

// The last group of 70 is shorter: zeros are added for its scale alone.

// CHECK-LABEL: relax.func @short
// CHECK:         relax.pad %x {pad_width = array<i64: 0, 0, 0, 26>
// CHECK:         relax.quantize %x, {{.*}} {block_size = 32 : i64} : (!relax.tensor<[2, 70], f32>, !relax.tensor<[2, 3], f32>
relax.func @short(%x: !relax.tensor<[2, 70], f32>) -> !relax.tensor<[2, 48], f32> {
  %q = relax.constant dense<-5> : tensor<70x48xi8>
  %s = relax.constant dense<0.5> : tensor<48xf32>
  %zero = relax.constant dense<0> : tensor<i8>
  %w = relax.dequantize %q, %s, %zero : (!relax.tensor<[70, 48], i8>, !relax.tensor<[48], f32>, !relax.tensor<[], i8>) -> !relax.tensor<[70, 48], f32>
  %y = relax.matmul %x, %w : (!relax.tensor<[2, 70], f32>, !relax.tensor<[70, 48], f32>) -> !relax.tensor<[2, 48], f32>
  relax.return %y : !relax.tensor<[2, 48], f32>
}

// Weights of floats, and computed ones, are multiplied by the rows as they are.

// CHECK-LABEL: relax.func @others
// CHECK-NOT:     relax.quantize
relax.func @others(%x: !relax.tensor<[n, 64], f32>, %u: !relax.tensor<[48, 48], f32>) -> !relax.tensor<[n, 48], f32> {
  %b = relax.constant dense<2.0> : tensor<64x48xbf16>
  %w = relax.astype %b {dtype = f32} : (!relax.tensor<[64, 48], bf16>) -> !relax.tensor<[64, 48], f32>
  %y = relax.matmul %x, %w : (!relax.tensor<[n, 64], f32>, !relax.tensor<[64, 48], f32>) -> !relax.tensor<[n, 48], f32>
  %z = relax.matmul %y, %u : (!relax.tensor<[n, 48], f32>, !relax.tensor<[48, 48], f32>) -> !relax.tensor<[n, 48], f32>
  relax.return %z : !relax.tensor<[n, 48], f32>
}
