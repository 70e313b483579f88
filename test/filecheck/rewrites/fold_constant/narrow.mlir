// RUN: relax-opt %s -p relax-fold-constant | filecheck %s
// RUN: relax-opt %s -p 'relax-fold-constant{widen=true}' | filecheck %s --check-prefix=WIDE

// Weights that a matrix product reads stay as narrow as they are; transposes of them are decoded, too.
// CHECK-LABEL: relax.func @product
// CHECK-NEXT:    %q = relax.constant dense<7> : tensor<48x32xi8>
// CHECK:         %w = relax.astype %q
// CHECK-NEXT:    %t = relax.permute_dims %w
// CHECK:         relax.matmul %x, %t
// WIDE-LABEL:  relax.func @product
// WIDE:          %t = relax.constant dense<7.000000e+00> : tensor<32x48xf32>
// WIDE-NEXT:     relax.matmul %x, %t
relax.func @product(%x: !relax.tensor<[n, 32], f32>) -> !relax.tensor<[n, 48], f32> {
  %q = relax.constant dense<7> : tensor<48x32xi8>
  %w = relax.astype %q {dtype = f32} : (!relax.tensor<[48, 32], i8>) -> !relax.tensor<[48, 32], f32>
  %t = relax.permute_dims %w : (!relax.tensor<[48, 32], f32>) -> !relax.tensor<[32, 48], f32>
  %y = relax.matmul %x, %t : (!relax.tensor<[n, 32], f32>, !relax.tensor<[32, 48], f32>) -> !relax.tensor<[n, 48], f32>
  relax.return %y : !relax.tensor<[n, 48], f32>
}
// So do scales and zero points of groups.
// CHECK-LABEL: relax.func @groups
// CHECK:         relax.constant dense<5> : tensor<64x48xui4>
// CHECK:         %w = relax.dequantize %q, %s, %z
// WIDE-LABEL:  relax.func @groups
// WIDE:          %w = relax.constant dense<1.500000e+00> : tensor<64x48xf32>
relax.func @groups(%x: !relax.tensor<[n, 64], f32>) -> !relax.tensor<[n, 48], f32> {
  %q = relax.constant dense<5> : tensor<64x48xui4>
  %s = relax.constant dense<0.5> : tensor<2x48xf32>
  %z = relax.constant dense<2> : tensor<2x48xui4>
  %w = relax.dequantize %q, %s, %z {axis = 0, block_size = 32} : (!relax.tensor<[64, 48], ui4>, !relax.tensor<[2, 48], f32>, !relax.tensor<[2, 48], ui4>) -> !relax.tensor<[64, 48], f32>
  %y = relax.matmul %x, %w : (!relax.tensor<[n, 64], f32>, !relax.tensor<[64, 48], f32>) -> !relax.tensor<[n, 48], f32>
  relax.return %y : !relax.tensor<[n, 48], f32>
}
// What another operator reads is folded, and so are few elements.
// CHECK-LABEL: relax.func @others
// CHECK:         %w = relax.constant dense<7.000000e+00> : tensor<48x32xf32>
// CHECK:         %v = relax.constant dense<7.000000e+00> : tensor<32x2xf32>
relax.func @others(%x: !relax.tensor<[n, 32], f32>) -> !relax.tensor<[n, 2], f32> {
  %q = relax.constant dense<7> : tensor<48x32xi8>
  %w = relax.astype %q {dtype = f32} : (!relax.tensor<[48, 32], i8>) -> !relax.tensor<[48, 32], f32>
  %e = relax.exp %w : (!relax.tensor<[48, 32], f32>) -> !relax.tensor<[?, ?], f32>
  %p = relax.constant dense<7> : tensor<32x2xi8>
  %v = relax.astype %p {dtype = f32} : (!relax.tensor<[32, 2], i8>) -> !relax.tensor<[32, 2], f32>
  %y = relax.matmul %x, %v : (!relax.tensor<[n, 32], f32>, !relax.tensor<[32, 2], f32>) -> !relax.tensor<[n, 2], f32>
  relax.return %y : !relax.tensor<[n, 2], f32>
}
