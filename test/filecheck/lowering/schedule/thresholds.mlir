// RUN: relax-opt %s -p relax-legalize,relax-fuse-elementwise,relax-bufferize,'relax-schedule{cpu=x86-64-v3 print=true}' 2>&1 | filecheck %s

// Sizes at which another schedule is chosen.

// The first of two rows is read ahead.

// CHECK:       @dot:
// CHECK-NEXT:    split_reduction(d1, 8)
// CHECK-NEXT:    unroll(d1, 4)
// CHECK-NEXT:    prefetch(in0, d1, 512)

// Loops of fewer than 4,096 multiplications stay as they are: @matmul has 2,880.

// CHECK-NEXT:  @matmul_1:
// CHECK-NEXT:    tile(d1, 16, multiple=8)
// CHECK-NEXT:    tile(d0, 6, balanced=true)

// From 128 rows on, panels of 256 kB are worth their cost.

// CHECK:       @matmul_2:
// CHECK-NEXT:    tile(d0, 96, balanced=true)
// CHECK-NEXT:    tile(d1, 16, multiple=8)
// CHECK-NEXT:    pack(in1, d1)
// CHECK-NEXT:    hoist(in1)
// CHECK:       @matmul_3:
// CHECK-NEXT:    tile(d0, 96, balanced=true)
// CHECK-NEXT:    tile(d1, 16, multiple=8)
// CHECK-NEXT:    tile(d0, 6, balanced=true)
// CHECK:       @matmul_4:
// CHECK-NEXT:    tile(d0, 96, balanced=true)
// CHECK-NEXT:    tile(d1, 16, multiple=8)
// CHECK-NEXT:    pack(in1, d1, rest=true)

// The loop over a single channel is taken away.

// CHECK:       @conv2d:
// CHECK:         pad(d3)
// CHECK-NEXT:    tile(d4, 1)

// CHECK-NEXT:    unroll_and_jam(d2)
// CHECK-NEXT:    unroll_and_jam(d1)
// CHECK-NEXT:    unroll_and_jam(d5)
// CHECK-NEXT:    unroll_and_jam(d6)

// Of large filters one row at a time is written out.

// CHECK:       @conv2d_1:
// CHECK:         unroll_and_jam(d2)
// CHECK-NEXT:    unroll_and_jam(d1)
// CHECK-NEXT:    unroll_and_jam(d6)

// Tiles of two images, unless one of them is left alone.

// CHECK:       @conv2d_2:
// CHECK-NEXT:    tile(d0, 1, balanced=true)
// CHECK:       @conv2d_3:
// CHECK-NEXT:    tile(d0, 2, balanced=true)

// Of few filters the innermost places of a window are written out, up to 32.

// CHECK:       @conv2d_4:
// CHECK:         } else {
// CHECK-NEXT:      tile(d0, 1)
// CHECK-NEXT:      strip(d2, d3, 512)
// CHECK-NEXT:      unroll_and_jam(d6)
// CHECK-NEXT:    }

// CHECK-NEXT:  builtin.module

relax.func @least_work(%x: !relax.tensor<[12, 15], f32>, %w: !relax.tensor<[15, 16], f32>) -> !relax.tensor<[12, 16], f32> {
  %0 = relax.matmul %x, %w : (!relax.tensor<[12, 15], f32>, !relax.tensor<[15, 16], f32>) -> !relax.tensor<[12, 16], f32>
  relax.return %0 : !relax.tensor<[12, 16], f32>
}

relax.func @enough_work(%x: !relax.tensor<[16, 16], f32>, %w: !relax.tensor<[16, 16], f32>) -> !relax.tensor<[16, 16], f32> {
  %0 = relax.matmul %x, %w : (!relax.tensor<[16, 16], f32>, !relax.tensor<[16, 16], f32>) -> !relax.tensor<[16, 16], f32>
  relax.return %0 : !relax.tensor<[16, 16], f32>
}

relax.func @rows(%x: !relax.tensor<[128, 256], f32>, %w: !relax.tensor<[256, 256], f32>) -> !relax.tensor<[128, 256], f32> {
  %0 = relax.matmul %x, %w : (!relax.tensor<[128, 256], f32>, !relax.tensor<[256, 256], f32>) -> !relax.tensor<[128, 256], f32>
  relax.return %0 : !relax.tensor<[128, 256], f32>
}

relax.func @fewer_rows(%x: !relax.tensor<[127, 256], f32>, %w: !relax.tensor<[256, 256], f32>) -> !relax.tensor<[127, 256], f32> {
  %0 = relax.matmul %x, %w : (!relax.tensor<[127, 256], f32>, !relax.tensor<[256, 256], f32>) -> !relax.tensor<[127, 256], f32>
  relax.return %0 : !relax.tensor<[127, 256], f32>
}

relax.func @fewer_columns(%x: !relax.tensor<[128, 256], f32>, %w: !relax.tensor<[256, 255], f32>) -> !relax.tensor<[128, 255], f32> {
  %0 = relax.matmul %x, %w : (!relax.tensor<[128, 256], f32>, !relax.tensor<[256, 255], f32>) -> !relax.tensor<[128, 255], f32>
  relax.return %0 : !relax.tensor<[128, 255], f32>
}

relax.func @one_channel(%x: !relax.tensor<[2, 1, 20, 30], f32>, %w: !relax.tensor<[2, 1, 3, 3], f32>) -> !relax.tensor<[2, 2, 18, 28], f32> {
  %0 = relax.conv2d %x, %w : (!relax.tensor<[2, 1, 20, 30], f32>, !relax.tensor<[2, 1, 3, 3], f32>) -> !relax.tensor<[2, 2, 18, 28], f32>
  relax.return %0 : !relax.tensor<[2, 2, 18, 28], f32>
}

relax.func @large_filters(%x: !relax.tensor<[2, 2, 20, 30], f32>, %w: !relax.tensor<[2, 2, 7, 9], f32>) -> !relax.tensor<[2, 2, 14, 22], f32> {
  %0 = relax.conv2d %x, %w : (!relax.tensor<[2, 2, 20, 30], f32>, !relax.tensor<[2, 2, 7, 9], f32>) -> !relax.tensor<[2, 2, 14, 22], f32>
  relax.return %0 : !relax.tensor<[2, 2, 14, 22], f32>
}

relax.func @images(%x: !relax.tensor<[3, 8, 6, 6], f32>, %w: !relax.tensor<[64, 8, 4, 4], f32>) -> !relax.tensor<[3, 64, 3, 3], f32> {
  %0 = relax.conv2d %x, %w : (!relax.tensor<[3, 8, 6, 6], f32>, !relax.tensor<[64, 8, 4, 4], f32>) -> !relax.tensor<[3, 64, 3, 3], f32>
  relax.return %0 : !relax.tensor<[3, 64, 3, 3], f32>
}

relax.func @even_images(%x: !relax.tensor<[4, 8, 6, 6], f32>, %w: !relax.tensor<[64, 8, 4, 4], f32>) -> !relax.tensor<[4, 64, 3, 3], f32> {
  %0 = relax.conv2d %x, %w : (!relax.tensor<[4, 8, 6, 6], f32>, !relax.tensor<[64, 8, 4, 4], f32>) -> !relax.tensor<[4, 64, 3, 3], f32>
  relax.return %0 : !relax.tensor<[4, 64, 3, 3], f32>
}

func.func @dot(%x: memref<4x900xf32>, %y: memref<4x900xf32>, %z: memref<4xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%z : memref<4xf32>)
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>],
      iterator_types = ["parallel", "reduction"]} ins(%x, %y : memref<4x900xf32>, memref<4x900xf32>) outs(%z : memref<4xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %sum, %p : f32
    linalg.yield %s : f32
  }
  func.return
}

relax.func @filters(%x: !relax.tensor<[2, 3, 20, 30], f32>, %w: !relax.tensor<[k, 3, 7, 7], f32>) -> !relax.tensor<[2, k, 14, 24], f32> {
  %0 = relax.conv2d %x, %w : (!relax.tensor<[2, 3, 20, 30], f32>, !relax.tensor<[k, 3, 7, 7], f32>) -> !relax.tensor<[2, k, 14, 24], f32>
  relax.return %0 : !relax.tensor<[2, k, 14, 24], f32>
}
