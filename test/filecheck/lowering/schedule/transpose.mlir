// RUN: relax-opt %s -p 'relax-schedule{cpu=x86-64-v3 print=true}' 2>&1 | filecheck %s

// Squares of eight rows are read along the rows of the argument, turned by three steps of shuffles, and written
// along the rows of the result. The last ones begin earlier; what is smaller than one stays a loop. Where the second
// cache does not hold the argument, each of the eight rows is asked for ahead.

// CHECK:       @turned:
// CHECK-NEXT:    when d0 >= 8 and d1 >= 8 {
// CHECK-NEXT:      when d0 * d1 >= 65536 {
// CHECK-NEXT:        tile(d1, 64)
// CHECK-NEXT:        tile(d0, 8, shifted=true)
// CHECK-NEXT:        tile(d1, 8, shifted=true)
// CHECK-NEXT:        prefetch(in0, d0, 32)
// CHECK-NEXT:        unroll_and_jam(d0)
// CHECK-NEXT:        transpose(in0, d0)
// CHECK-NEXT:        vectorize(d1, 8)
// CHECK-NEXT:        unroll_and_jam(d1)
// CHECK-NEXT:        outline(transpose)
// CHECK-NEXT:      } else {
// CHECK-NEXT:        tile(d1, 64)
// CHECK-NEXT:        tile(d0, 8, shifted=true)
// CHECK-NEXT:        tile(d1, 8, shifted=true)
// CHECK-NEXT:        unroll_and_jam(d0)
// CHECK-NEXT:        transpose(in0, d0)
// CHECK-NEXT:        vectorize(d1, 8)
// CHECK-NEXT:        unroll_and_jam(d1)
// CHECK-NEXT:        outline(transpose)
// CHECK-NEXT:      }
// CHECK-NEXT:    }

// Rows of the result that are a multiple of 4096 bytes apart: blocks of it are made elsewhere, then copied.

// CHECK:       @blocks:
// CHECK-NEXT:    tile(d1, 128)
// CHECK-NEXT:    tile(d0, 40, shifted=true)
// CHECK-NEXT:    cache_write(d0, d1)
// CHECK-NEXT:    tile(d1, 8)
// CHECK-NEXT:    tile(d0, 8)
// CHECK-NEXT:    prefetch(in0, d0, 32)
// CHECK:       @few:
// CHECK-NEXT:    tile(d1, 64)

// CHECK:       func.func private @turned(
// CHECK:         scf.if
// CHECK:           scf.if
// CHECK:           scf.for %t1
// CHECK:             scf.for %t0
// CHECK:               %[[AT:.*]] = arith.muli %t0, %c8
// CHECK:               %[[LAST:.*]] = arith.subi %{{.*}}, %c8
// CHECK:               arith.minsi %[[AT]], %[[LAST]]
// CHECK:               scf.for %t1
// CHECK:                 func.call @transpose_8x8_f32
// CHECK:         } else {
// CHECK:           linalg.generic
func.func private @turned(%m: index {relax.symbol = "m"}, %n: index {relax.symbol = "n"}, %x: memref<?x?xf32> {relax.dims = ["m", "n"]}, %out: memref<?x?xf32> {relax.dims = ["n", "m"], relax.result}) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%x : memref<?x?xf32>) outs(%out : memref<?x?xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  }
  func.return
}

// CHECK:       func.func private @blocks(
// CHECK:         %[[TILE:.*]] = memref.alloc() {{.*}}: memref<40x128xf32>
// CHECK:         func.call @transpose_8x8_f32
// CHECK:         linalg.generic {{.*}} ins(%[[TILE]]
func.func private @blocks(%x: memref<1024x100xf32> {relax.dims = ["1024", "100"]}, %out: memref<100x1024xf32> {relax.dims = ["100", "1024"], relax.result}) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%x : memref<1024x100xf32>) outs(%out : memref<100x1024xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  }
  func.return
}
func.func private @few(%x: memref<4096x24xf32> {relax.dims = ["4096", "24"]}, %out: memref<24x4096xf32> {relax.dims = ["24", "4096"], relax.result}) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%x : memref<4096x24xf32>) outs(%out : memref<24x4096xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  }
  func.return
}

// CHECK:       func.func private @transpose_8x8_f32(
// CHECK-COUNT-8:   memref.prefetch %in0[%c{{[0-7]}}, %c32], read
// CHECK-NOT:       memref.prefetch
// CHECK-COUNT-8:   vector.load %in0
// CHECK:           vector.shuffle %{{.*}}, %{{.*}} [0, 8, 1, 9, 4, 12, 5, 13] : vector<8xf32>, vector<8xf32>
// CHECK:           vector.shuffle %{{.*}}, %{{.*}} [2, 10, 3, 11, 6, 14, 7, 15] : vector<8xf32>, vector<8xf32>
// CHECK:           vector.shuffle %{{.*}}, %{{.*}} [0, 1, 8, 9, 4, 5, 12, 13] : vector<8xf32>, vector<8xf32>
// CHECK:           vector.shuffle %{{.*}}, %{{.*}} [0, 1, 2, 3, 8, 9, 10, 11] : vector<8xf32>, vector<8xf32>
// CHECK-COUNT-8:   vector.store %{{.*}}, %out0
// CHECK:           func.return
