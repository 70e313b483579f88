// RUN: relax-opt %s --split-input-file -p relax-schedule | filecheck %s

// relu of a concatenation, times a column and a scalar, is computed of both parts; the copies go, and the buffer.

// CHECK:       func.func private @relu
// CHECK-NOT:     memref.copy
// CHECK-NOT:     memref.alloc
// CHECK:         %[[LEFT:.*]] = memref.subview %out[0, 0] [%n, 16] [1, 1]
// CHECK-NEXT:    linalg.generic
// CHECK-SAME:      ins(%a, %{{.*}} : memref<?x16xf32>, memref<?xf32{{.*}}>) outs(%[[LEFT]]
// CHECK:         %[[RIGHT:.*]] = memref.subview %out[0, %c16] [%n, 48] [1, 1]
// CHECK-NEXT:    linalg.generic
// CHECK-SAME:      ins(%b, %{{.*}} : memref<?x48xf32>, memref<?xf32{{.*}}>) outs(%[[RIGHT]]
// CHECK-NOT:     linalg.generic
func.func private @relu(%n: index {relax.symbol = "n"}, %a: memref<?x16xf32> {relax.dims = ["n", "16"]}, %b: memref<?x48xf32> {relax.dims = ["n", "48"]}, %c: memref<?xf32> {relax.dims = ["n"]}, %out: memref<?x64xf32> {relax.dims = ["n", "64"], relax.result}) {
  %zero = arith.constant 0.0 : f32
  %all = memref.alloc(%n) : memref<?x64xf32>
  %left = memref.subview %all[0, 0] [%n, 16] [1, 1] : memref<?x64xf32> to memref<?x16xf32, strided<[64, 1]>>
  memref.copy %a, %left : memref<?x16xf32> to memref<?x16xf32, strided<[64, 1]>>
  %right = memref.subview %all[0, 16] [%n, 48] [1, 1] : memref<?x64xf32> to memref<?x48xf32, strided<[64, 1], offset: 16>>
  memref.copy %b, %right : memref<?x48xf32> to memref<?x48xf32, strided<[64, 1], offset: 16>>
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%all, %c : memref<?x64xf32>, memref<?xf32>) outs(%out : memref<?x64xf32>) {
  ^bb0(%x: f32, %f: f32, %o: f32):
    %r = arith.maximumf %x, %zero : f32
    %s = arith.mulf %r, %f : f32
    linalg.yield %s : f32
  }
  memref.dealloc %all : memref<?x64xf32>
  func.return
}

// -----

// Kept: what is filled before, a part of one column, and a buffer that a second op reads.

// CHECK:       func.func private @padded
// CHECK:         memref.copy
// CHECK:       func.func private @column
// CHECK-COUNT-2: memref.copy
// CHECK:       func.func private @twice
// CHECK:         memref.copy
func.func private @padded(%a: memref<32xf32> {relax.dims = ["32"]}, %out: memref<64xf32> {relax.dims = ["64"], relax.result}) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%out : memref<64xf32>)
  %left = memref.subview %out[0] [32] [1] : memref<64xf32> to memref<32xf32, strided<[1]>>
  memref.copy %a, %left : memref<32xf32> to memref<32xf32, strided<[1]>>
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%out : memref<64xf32>) outs(%out : memref<64xf32>) {
  ^bb0(%x: f32, %o: f32):
    %r = arith.addf %x, %x : f32
    linalg.yield %r : f32
  }
  func.return
}
func.func private @column(%a: memref<64x1xf32> {relax.dims = ["64", "1"]}, %b: memref<64x31xf32> {relax.dims = ["64", "31"]}, %out: memref<64x32xf32> {relax.dims = ["64", "32"], relax.result}) {
  %left = memref.subview %out[0, 0] [64, 1] [1, 1] : memref<64x32xf32> to memref<64x1xf32, strided<[32, 1]>>
  memref.copy %a, %left : memref<64x1xf32> to memref<64x1xf32, strided<[32, 1]>>
  %right = memref.subview %out[0, 1] [64, 31] [1, 1] : memref<64x32xf32> to memref<64x31xf32, strided<[32, 1], offset: 1>>
  memref.copy %b, %right : memref<64x31xf32> to memref<64x31xf32, strided<[32, 1], offset: 1>>
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%out : memref<64x32xf32>) outs(%out : memref<64x32xf32>) {
  ^bb0(%x: f32, %o: f32):
    %r = arith.addf %x, %x : f32
    linalg.yield %r : f32
  }
  func.return
}
func.func private @twice(%a: memref<64xf32> {relax.dims = ["64"]}, %s: memref<64xf32> {relax.dims = ["64"], relax.result}, %t: memref<64xf32> {relax.dims = ["64"], relax.result}) {
  %all = memref.alloc() : memref<64xf32>
  %whole = memref.subview %all[0] [64] [1] : memref<64xf32> to memref<64xf32, strided<[1]>>
  memref.copy %a, %whole : memref<64xf32> to memref<64xf32, strided<[1]>>
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%all : memref<64xf32>) outs(%s : memref<64xf32>) {
  ^bb0(%x: f32, %o: f32):
    %r = arith.addf %x, %x : f32
    linalg.yield %r : f32
  }
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%all : memref<64xf32>) outs(%t : memref<64xf32>) {
  ^bb0(%x: f32, %o: f32):
    linalg.yield %x : f32
  }
  memref.dealloc %all : memref<64xf32>
  func.return
}
