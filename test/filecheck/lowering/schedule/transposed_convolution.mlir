// RUN: relax-opt %s -p relax-legalize | filecheck %s --check-prefix LEGAL
// RUN: relax-opt %s -p relax-legalize,relax-fuse-elementwise,relax-bufferize,'relax-schedule{cpu=x86-64-v4 print=true}' 2>&1 | filecheck %s

// The phases of the result are loops: windows of its even rows begin one further for the second phase. The filters
// of each phase are laid out at compile time.

// LEGAL-LABEL: relax.func @phases(
// LEGAL:         %filters = relax.constant dense<1.000000e+00> : tensor<24x2x2x3x2x2xf32>
// LEGAL-NEXT:    relax.call_tir @conv2d_transpose_phase_sums(%x, %filters)
// LEGAL:         %filters = relax.call_tir @conv2d_transpose_phase_filters_1(%k)
// LEGAL-NOT:   @conv2d_transpose_phase_filters(
// LEGAL:       func.func private @conv2d_transpose_phase_sums(
// LEGAL:         tensor.insert_slice %x into %filled[0, 0, 1, 1]
// LEGAL:         (d0, d6, ((d2 + d7) + d3), ((d4 + d8) + d5))
// LEGAL-SAME:    (d1, d3, d5, d6, d7, d8)
// LEGAL-SAME:    (d0, d1, d2, d3, d4, d5)
// LEGAL:         tensor.collapse_shape %sums {{.*}} : tensor<?x24x?x2x?x2xf32> into tensor<?x24x?x?xf32>
// LEGAL:       func.func private @conv2d_transpose_phase_filters_1(

// One strip at a time: all its phases in a tile, which lies there as the result does but for the filters.

// CHECK-LABEL: @conv2d_transpose_phase_sums:
// CHECK-NEXT:    tile(d0, 1)
// CHECK-NEXT:    strip(d2, d4, 64)
// CHECK-NEXT:    tile(d1, 32, multiple=16)
// CHECK-NEXT:    pack_constant(in1, d1)
// CHECK-NEXT:    cache_write(d2, d3, d4, d5, d1)
// CHECK-NEXT:    tile(d3, 1)
// CHECK-NEXT:    tile(d5, 1)
// CHECK-NEXT:    tile(d2, 1)
// CHECK-NEXT:    tile(d4, 14, balanced=true)
// Filters of 3 x 3 by steps of 2 have four places in one phase, two in two, and one in the last.

// CHECK-LABEL: @conv2d_transpose_phase_sums_2:
// CHECK:         cache_write(d2, d3, d4, d5, d1)
// CHECK-NEXT:    skip_zeros(in1, d3, d5)
// CHECK-NEXT:    tile(d2, 1)
// CHECK-LABEL: func.func private @conv2d_transpose_phase_sums(
// CHECK:         memref.alloc({{.*}}) {alignment = 64 : i64} : memref<?x2x?x2x32xf32>
// CHECK:         memref.collapse_shape {{.*}} : memref<?x24x?x?x2xf32> into memref<?x24x?x?xf32>
// CHECK:         func.call @convolve_up_to_14x32_f32(
// CHECK:         func.call @transpose_16x16_f32(

relax.func @phases(%x: !relax.tensor<[n, 3, h, w], f32>) -> !relax.tensor<[n, 24, 2 * h, 2 * w], f32> {
  %y = relax.dataflow {
    %k = relax.constant dense<1.0> : tensor<3x24x4x4xf32>
    %c = relax.conv2d_transpose %x, %k {strides = array<i64: 2>, padding = array<i64: 1>} : (!relax.tensor<[n, 3, h, w], f32>, !relax.tensor<[3, 24, 4, 4], f32>) -> !relax.tensor<[n, 24, 2 * h, 2 * w], f32>
    relax.output %c : !relax.tensor<[n, 24, 2 * h, 2 * w], f32>
  }
  relax.return %y : !relax.tensor<[n, 24, 2 * h, 2 * w], f32>
}

relax.func @argument(%x: !relax.tensor<[n, 3, 5, 5], f32>, %k: !relax.tensor<[3, 24, 3, 3], f32>) -> !relax.tensor<[n, 24, 7, 7], f32> {
  %c = relax.conv2d_transpose %x, %k : (!relax.tensor<[n, 3, 5, 5], f32>, !relax.tensor<[3, 24, 3, 3], f32>) -> !relax.tensor<[n, 24, 7, 7], f32>
  relax.return %c : !relax.tensor<[n, 24, 7, 7], f32>
}

relax.func @uneven(%x: !relax.tensor<[n, 3, 5, 5], f32>) -> !relax.tensor<[n, 24, 9, 9], f32> {
  %y = relax.dataflow {
    %k = relax.constant dense<1.0> : tensor<3x24x3x3xf32>
    %c = relax.conv2d_transpose %x, %k {strides = array<i64: 2>, padding = array<i64: 1>} : (!relax.tensor<[n, 3, 5, 5], f32>, !relax.tensor<[3, 24, 3, 3], f32>) -> !relax.tensor<[n, 24, 9, 9], f32>
    relax.output %c : !relax.tensor<[n, 24, 9, 9], f32>
  }
  relax.return %y : !relax.tensor<[n, 24, 9, 9], f32>
}
