// RUN: relax-opt %s -t "c{model=kernels}" | filecheck %s

// A tile of 8 x 48 of a matmul: 24 vectors are carried through the loop over k, each computed into its own
// variable, so that a compiler keeps them in registers. Rows of x are read in place, w is packed. One
// function for each height of tile, that is not inlined, leaves all registers to it.
func.func private @tile(%x: memref<8x512xf32, strided<[512, 1], offset: ?>>,
    %w: memref<512x48xf32, strided<[48, 1], offset: ?>>, %out: memref<8x48xf32, strided<[528, 1], offset: ?>>)
    attributes {relax.noinline} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %c6 = arith.constant 6 : index
  %c7 = arith.constant 7 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %c512 = arith.constant 512 : index
  %zero = arith.constant dense<0.0> : vector<16xf32>
  %sums:24 = scf.for %k = %c0 to %c512 step %c1 iter_args(
      %s00 = %zero, %s01 = %zero, %s02 = %zero, %s10 = %zero, %s11 = %zero, %s12 = %zero,
      %s20 = %zero, %s21 = %zero, %s22 = %zero, %s30 = %zero, %s31 = %zero, %s32 = %zero,
      %s40 = %zero, %s41 = %zero, %s42 = %zero, %s50 = %zero, %s51 = %zero, %s52 = %zero,
      %s60 = %zero, %s61 = %zero, %s62 = %zero, %s70 = %zero, %s71 = %zero, %s72 = %zero
      ) -> (vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>,
      vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>,
      vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>,
      vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>,
      vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>) {
    %w0 = vector.load %w[%k, %c0] : memref<512x48xf32, strided<[48, 1], offset: ?>>, vector<16xf32>
    %w1 = vector.load %w[%k, %c16] : memref<512x48xf32, strided<[48, 1], offset: ?>>, vector<16xf32>
    %w2 = vector.load %w[%k, %c32] : memref<512x48xf32, strided<[48, 1], offset: ?>>, vector<16xf32>
    %x0 = memref.load %x[%c0, %k] : memref<8x512xf32, strided<[512, 1], offset: ?>>
    %a0 = vector.broadcast %x0 : f32 to vector<16xf32>
    %t00 = vector.fma %a0, %w0, %s00 : vector<16xf32>
    %t01 = vector.fma %a0, %w1, %s01 : vector<16xf32>
    %t02 = vector.fma %a0, %w2, %s02 : vector<16xf32>
    %x1 = memref.load %x[%c1, %k] : memref<8x512xf32, strided<[512, 1], offset: ?>>
    %a1 = vector.broadcast %x1 : f32 to vector<16xf32>
    %t10 = vector.fma %a1, %w0, %s10 : vector<16xf32>
    %t11 = vector.fma %a1, %w1, %s11 : vector<16xf32>
    %t12 = vector.fma %a1, %w2, %s12 : vector<16xf32>
    %x2 = memref.load %x[%c2, %k] : memref<8x512xf32, strided<[512, 1], offset: ?>>
    %a2 = vector.broadcast %x2 : f32 to vector<16xf32>
    %t20 = vector.fma %a2, %w0, %s20 : vector<16xf32>
    %t21 = vector.fma %a2, %w1, %s21 : vector<16xf32>
    %t22 = vector.fma %a2, %w2, %s22 : vector<16xf32>
    %x3 = memref.load %x[%c3, %k] : memref<8x512xf32, strided<[512, 1], offset: ?>>
    %a3 = vector.broadcast %x3 : f32 to vector<16xf32>
    %t30 = vector.fma %a3, %w0, %s30 : vector<16xf32>
    %t31 = vector.fma %a3, %w1, %s31 : vector<16xf32>
    %t32 = vector.fma %a3, %w2, %s32 : vector<16xf32>
    %x4 = memref.load %x[%c4, %k] : memref<8x512xf32, strided<[512, 1], offset: ?>>
    %a4 = vector.broadcast %x4 : f32 to vector<16xf32>
    %t40 = vector.fma %a4, %w0, %s40 : vector<16xf32>
    %t41 = vector.fma %a4, %w1, %s41 : vector<16xf32>
    %t42 = vector.fma %a4, %w2, %s42 : vector<16xf32>
    %x5 = memref.load %x[%c5, %k] : memref<8x512xf32, strided<[512, 1], offset: ?>>
    %a5 = vector.broadcast %x5 : f32 to vector<16xf32>
    %t50 = vector.fma %a5, %w0, %s50 : vector<16xf32>
    %t51 = vector.fma %a5, %w1, %s51 : vector<16xf32>
    %t52 = vector.fma %a5, %w2, %s52 : vector<16xf32>
    %x6 = memref.load %x[%c6, %k] : memref<8x512xf32, strided<[512, 1], offset: ?>>
    %a6 = vector.broadcast %x6 : f32 to vector<16xf32>
    %t60 = vector.fma %a6, %w0, %s60 : vector<16xf32>
    %t61 = vector.fma %a6, %w1, %s61 : vector<16xf32>
    %t62 = vector.fma %a6, %w2, %s62 : vector<16xf32>
    %x7 = memref.load %x[%c7, %k] : memref<8x512xf32, strided<[512, 1], offset: ?>>
    %a7 = vector.broadcast %x7 : f32 to vector<16xf32>
    %t70 = vector.fma %a7, %w0, %s70 : vector<16xf32>
    %t71 = vector.fma %a7, %w1, %s71 : vector<16xf32>
    %t72 = vector.fma %a7, %w2, %s72 : vector<16xf32>
    scf.yield %t00, %t01, %t02, %t10, %t11, %t12, %t20, %t21, %t22, %t30, %t31, %t32, %t40, %t41, %t42,
      %t50, %t51, %t52, %t60, %t61, %t62, %t70, %t71, %t72
      : vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>,
      vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>,
      vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>,
      vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>,
      vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>
  }
  %r00 = arith.maximumf %sums#0, %zero : vector<16xf32>
  vector.store %r00, %out[%c0, %c0] : memref<8x48xf32, strided<[528, 1], offset: ?>>, vector<16xf32>
  %r01 = arith.maximumf %sums#1, %zero : vector<16xf32>
  vector.store %r01, %out[%c0, %c16] : memref<8x48xf32, strided<[528, 1], offset: ?>>, vector<16xf32>
  %r02 = arith.maximumf %sums#2, %zero : vector<16xf32>
  vector.store %r02, %out[%c0, %c32] : memref<8x48xf32, strided<[528, 1], offset: ?>>, vector<16xf32>
  %r10 = arith.maximumf %sums#3, %zero : vector<16xf32>
  vector.store %r10, %out[%c1, %c0] : memref<8x48xf32, strided<[528, 1], offset: ?>>, vector<16xf32>
  %r11 = arith.maximumf %sums#4, %zero : vector<16xf32>
  vector.store %r11, %out[%c1, %c16] : memref<8x48xf32, strided<[528, 1], offset: ?>>, vector<16xf32>
  %r12 = arith.maximumf %sums#5, %zero : vector<16xf32>
  vector.store %r12, %out[%c1, %c32] : memref<8x48xf32, strided<[528, 1], offset: ?>>, vector<16xf32>
  %r20 = arith.maximumf %sums#6, %zero : vector<16xf32>
  vector.store %r20, %out[%c2, %c0] : memref<8x48xf32, strided<[528, 1], offset: ?>>, vector<16xf32>
  %r21 = arith.maximumf %sums#7, %zero : vector<16xf32>
  vector.store %r21, %out[%c2, %c16] : memref<8x48xf32, strided<[528, 1], offset: ?>>, vector<16xf32>
  %r22 = arith.maximumf %sums#8, %zero : vector<16xf32>
  vector.store %r22, %out[%c2, %c32] : memref<8x48xf32, strided<[528, 1], offset: ?>>, vector<16xf32>
  %r30 = arith.maximumf %sums#9, %zero : vector<16xf32>
  vector.store %r30, %out[%c3, %c0] : memref<8x48xf32, strided<[528, 1], offset: ?>>, vector<16xf32>
  %r31 = arith.maximumf %sums#10, %zero : vector<16xf32>
  vector.store %r31, %out[%c3, %c16] : memref<8x48xf32, strided<[528, 1], offset: ?>>, vector<16xf32>
  %r32 = arith.maximumf %sums#11, %zero : vector<16xf32>
  vector.store %r32, %out[%c3, %c32] : memref<8x48xf32, strided<[528, 1], offset: ?>>, vector<16xf32>
  %r40 = arith.maximumf %sums#12, %zero : vector<16xf32>
  vector.store %r40, %out[%c4, %c0] : memref<8x48xf32, strided<[528, 1], offset: ?>>, vector<16xf32>
  %r41 = arith.maximumf %sums#13, %zero : vector<16xf32>
  vector.store %r41, %out[%c4, %c16] : memref<8x48xf32, strided<[528, 1], offset: ?>>, vector<16xf32>
  %r42 = arith.maximumf %sums#14, %zero : vector<16xf32>
  vector.store %r42, %out[%c4, %c32] : memref<8x48xf32, strided<[528, 1], offset: ?>>, vector<16xf32>
  %r50 = arith.maximumf %sums#15, %zero : vector<16xf32>
  vector.store %r50, %out[%c5, %c0] : memref<8x48xf32, strided<[528, 1], offset: ?>>, vector<16xf32>
  %r51 = arith.maximumf %sums#16, %zero : vector<16xf32>
  vector.store %r51, %out[%c5, %c16] : memref<8x48xf32, strided<[528, 1], offset: ?>>, vector<16xf32>
  %r52 = arith.maximumf %sums#17, %zero : vector<16xf32>
  vector.store %r52, %out[%c5, %c32] : memref<8x48xf32, strided<[528, 1], offset: ?>>, vector<16xf32>
  %r60 = arith.maximumf %sums#18, %zero : vector<16xf32>
  vector.store %r60, %out[%c6, %c0] : memref<8x48xf32, strided<[528, 1], offset: ?>>, vector<16xf32>
  %r61 = arith.maximumf %sums#19, %zero : vector<16xf32>
  vector.store %r61, %out[%c6, %c16] : memref<8x48xf32, strided<[528, 1], offset: ?>>, vector<16xf32>
  %r62 = arith.maximumf %sums#20, %zero : vector<16xf32>
  vector.store %r62, %out[%c6, %c32] : memref<8x48xf32, strided<[528, 1], offset: ?>>, vector<16xf32>
  %r70 = arith.maximumf %sums#21, %zero : vector<16xf32>
  vector.store %r70, %out[%c7, %c0] : memref<8x48xf32, strided<[528, 1], offset: ?>>, vector<16xf32>
  %r71 = arith.maximumf %sums#22, %zero : vector<16xf32>
  vector.store %r71, %out[%c7, %c16] : memref<8x48xf32, strided<[528, 1], offset: ?>>, vector<16xf32>
  %r72 = arith.maximumf %sums#23, %zero : vector<16xf32>
  vector.store %r72, %out[%c7, %c32] : memref<8x48xf32, strided<[528, 1], offset: ?>>, vector<16xf32>
  func.return
}

func.func @matmul(%n: index {relax.symbol = "n"}, %x: memref<?x512xf32> {relax.dims = ["n", "512"]},
    %w: memref<11x512x48xf32>, %out: memref<?x528xf32> {relax.dims = ["n", "528"], relax.result}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c11 = arith.constant 11 : index
  %c48 = arith.constant 48 : index
  scf.for %p = %c0 to %c11 step %c1 {
    %j = arith.muli %p, %c48 : index
    %panel = memref.subview %w[%p, 0, 0] [1, 512, 48] [1, 1, 1]
        : memref<11x512x48xf32> to memref<512x48xf32, strided<[48, 1], offset: ?>>
    scf.for %i = %c0 to %n step %c8 {
      %rows = memref.subview %x[%i, 0] [8, 512] [1, 1]
          : memref<?x512xf32> to memref<8x512xf32, strided<[512, 1], offset: ?>>
      %place = memref.subview %out[%i, %j] [8, 48] [1, 1]
          : memref<?x528xf32> to memref<8x48xf32, strided<[528, 1], offset: ?>>
      func.call @tile(%rows, %panel, %place)
          : (memref<8x512xf32, strided<[512, 1], offset: ?>>,
             memref<512x48xf32, strided<[48, 1], offset: ?>>,
             memref<8x48xf32, strided<[528, 1], offset: ?>>) -> ()
    }
  }
  func.return
}

// CHECK:      #define NOINLINE __attribute__((noinline))
// CHECK:      typedef float v16f32 __attribute__((vector_size(64)));
// CHECK-NEXT: typedef float v16f32_u __attribute__((vector_size(64), aligned(4)));
// CHECK:      NOINLINE
// CHECK-NEXT: static void tile(const float *restrict x, const float *restrict w, float *restrict out)
// CHECK-NEXT: {
// CHECK-NEXT:     v16f32 s00 = (v16f32){0};
// CHECK:          for (int64_t k = 0; k < 512; ++k) {
// CHECK-NEXT:         const v16f32 w0 = in_register_v16f32(*(const v16f32_u *)&w[k * 48]);
// CHECK-NEXT:         const v16f32 w1 = in_register_v16f32(*(const v16f32_u *)&w[k * 48 + 16]);
// CHECK-NEXT:         const v16f32 w2 = in_register_v16f32(*(const v16f32_u *)&w[k * 48 + 32]);
// CHECK-NEXT:         const float x0 = x[k];
// CHECK-NEXT:         s00 += x0 * w0;
// CHECK-NEXT:         s01 += x0 * w1;
// CHECK-NEXT:         s02 += x0 * w2;
// CHECK-NEXT:         const float x1 = x[512 + k];
// CHECK-NEXT:         s10 += x1 * w0;
// CHECK:              s72 += x7 * w2;
// CHECK-NEXT:     }
// CHECK-NEXT:     *(v16f32_u *)&out[0] = maximumf_number_v16f32(s00, (v16f32){0});
// CHECK:          *(v16f32_u *)&out[3728] = maximumf_number_v16f32(s72, (v16f32){0});
// CHECK-NEXT: }

// CHECK:                  const float *const rows = x + i * 512;
// CHECK-NEXT:             float *const place = out + (i * 528 + j);
// CHECK-NEXT:             tile(rows, panel, place);
