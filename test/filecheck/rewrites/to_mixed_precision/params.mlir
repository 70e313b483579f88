// RUN: relax-opt %s -p 'relax-to-mixed-precision{params=w,b}' | filecheck %s
// RUN: relax-opt %s -p 'relax-to-mixed-precision,relax-lift-transform-params' | filecheck %s --check-prefix=LIFTED
// RUN: not relax-opt %s -p 'relax-to-mixed-precision{dtype=f64}' 2>&1 | filecheck %s --check-prefix=DTYPE
// RUN: not relax-opt %s -p 'relax-to-mixed-precision{params=q}' 2>&1 | filecheck %s --check-prefix=NAME

// Parameters that are named become narrow, which their other users undo.
relax.func @main(%x: !relax.tensor<[n, 4], f32>, %w: !relax.tensor<[4, 2], f32>, %b: !relax.tensor<[2], f32>) -> !relax.tensor<[2], f32> attributes {num_input = 1 : i64} {
  %y = relax.matmul %x, %w : (!relax.tensor<[n, 4], f32>, !relax.tensor<[4, 2], f32>) -> !relax.tensor<[n, 2], f32>
  %z = relax.add %y, %b : (!relax.tensor<[n, 2], f32>, !relax.tensor<[2], f32>) -> !relax.tensor<[n, 2], f32>
  %s = relax.sum %z {axis = array<i64: 0>} : (!relax.tensor<[n, 2], f32>) -> !relax.tensor<[2], f32>
  %t = relax.multiply %s, %b : (!relax.tensor<[2], f32>, !relax.tensor<[2], f32>) -> !relax.tensor<[2], f32>
  relax.return %t : !relax.tensor<[2], f32>
}
// CHECK-LABEL: relax.func @main(%x: !relax.tensor<[n, 4], f32>, %w: !relax.tensor<[4, 2], f16>, %b: !relax.tensor<[2], f16>) -> !relax.tensor<[2], f32>
// CHECK-NEXT:    %x_1 = relax.astype %x {dtype = f16}
// CHECK-NEXT:    %y = relax.matmul %x_1, %w {out_dtype = f32}
// CHECK-NEXT:    %y_1 = relax.astype %y {dtype = f16}
// CHECK-NEXT:    %z = relax.add %y_1, %b : (!relax.tensor<[n, 2], f16>, !relax.tensor<[2], f16>) -> !relax.tensor<[n, 2], f16>
// CHECK-NEXT:    %z_1 = relax.astype %z {dtype = f32}
// CHECK-NEXT:    %s = relax.sum %z_1
// CHECK-NEXT:    %b_1 = relax.astype %b {dtype = f32}
// CHECK-NEXT:    %t = relax.multiply %s, %b_1 : (!relax.tensor<[2], f32>, !relax.tensor<[2], f32>) -> !relax.tensor<[2], f32>

// LIFTED-LABEL: relax.func @main_transform_params
// LIFTED:         relax.astype %w {dtype = f16}
// LIFTED-LABEL: relax.func @main(
// LIFTED-NOT:     astype %w

// DTYPE: relax-to-mixed-precision: expected dtype f16 or bf16, found f64; correct it
// NAME: relax-to-mixed-precision: expected names of parameters (x, w, b), found 'q'; correct the name
