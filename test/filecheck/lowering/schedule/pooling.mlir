// RUN: relax-opt %s --split-input-file -p 'relax-schedule{cpu=x86-64-v3 print=true}' 2>&1 | filecheck %s

// A maximum over 3 x 3 in a border: rows inside of %x are reduced to one, then its elements; no copy of the border.
// The last vectors begin earlier, those of five elements are shorter.

// CHECK:       @pool:
// CHECK-NEXT:    fuse_producer(in0)
// CHECK-NEXT:    separate(d2)
// CHECK-NEXT:    specialize(d2, iterations=3)
// CHECK-NEXT:    unroll_and_jam(d2)
// CHECK-NEXT:    unroll_and_jam(d3)
// CHECK-NEXT:    vectorize(d1, 8, shifted=true)
// CHECK-NEXT:    vectorize(d4, 8, shifted=true)
// CHECK:       func.func private @pool
// CHECK-NEXT:    %lowest = arith.constant 0xff800000 : f32
// CHECK-NOT:     memref.copy
// CHECK:         %rows = memref.alloc() {alignment = 64 : i64} : memref<4x16xf32>
// CHECK-NEXT:    linalg.fill ins(%lowest : f32) outs(%rows : memref<4x16xf32>)
// CHECK-NEXT:    scf.for %t0
// CHECK:           %rows_1 = memref.subview %rows[%t0, %c1] [1, 9] [1, 1]
// CHECK:           %[[ALL:.*]] = arith.cmpi eq
// CHECK-NEXT:      scf.if %[[ALL]] {
// CHECK-NEXT:        scf.for %d4 = %c0 to %c9 step %c8 {
// CHECK-NEXT:          %[[AT:.*]] = arith.minsi %d4, %c1 : index
// CHECK-COUNT-3:       vector.load %x_1[{{.*}}, %[[AT]]]
// CHECK:           } else {
// CHECK-NEXT:        scf.for %d4_1 = %c0 to %c9 step %c8 {
// CHECK:               scf.for %d2 =
// CHECK:         scf.for %d0 = %c0 to %c4 step %c1 {
// CHECK-NEXT:      scf.for %d1 = %c0 to %c5 step %c4 {
// CHECK:             vector.shuffle %rows_3, %rows_4 [0, 2, 4, 6]
// CHECK-NEXT:        vector.shuffle %rows_3, %rows_4 [1, 3, 5, 7]
// CHECK:             vector.shuffle %rows_5, %rows_6 [0, 2, 5, 7]
// CHECK:         memref.dealloc %rows
// CHECK-NEXT:    func.return
func.func private @pool(%x: memref<8x9xf32> {relax.dims = ["8", "9"]}, %out: memref<4x5xf32> {relax.dims = ["4", "5"], relax.result}) {
  %lowest = arith.constant 0xff800000 : f32
  %padded = memref.alloc() : memref<10x11xf32>
  linalg.fill ins(%lowest : f32) outs(%padded : memref<10x11xf32>)
  %inside = memref.subview %padded[1, 1] [8, 9] [1, 1] : memref<10x11xf32> to memref<8x9xf32, strided<[11, 1], offset: 12>>
  memref.copy %x, %inside : memref<8x9xf32> to memref<8x9xf32, strided<[11, 1], offset: 12>>
  %window = memref.alloc() : memref<3x3xf32>
  linalg.fill ins(%lowest : f32) outs(%out : memref<4x5xf32>)
  linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0 * 2 + d2, d1 * 2 + d3)>, affine_map<(d0, d1, d2, d3) -> (d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%padded, %window : memref<10x11xf32>, memref<3x3xf32>) outs(%out : memref<4x5xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %m = arith.maximumf %acc, %a : f32
    linalg.yield %m : f32
  }
  memref.dealloc %padded : memref<10x11xf32>
  memref.dealloc %window : memref<3x3xf32>
  func.return
}

// -----

// Zeros around a maximum are elements, not a border that may be left out: the copy stays, the rows are read from it.

// CHECK:       @zeros:
// CHECK-NEXT:    tile(d0, 4, balanced=true)
// CHECK-NEXT:    separate(d2)
// CHECK:       func.func private @zeros
// CHECK:         linalg.generic
// CHECK-SAME:      ins(%x : memref<8x9xf32>) outs(%inside
// CHECK:         %rows = memref.alloc
// CHECK-NOT:     scf.if
// CHECK:         func.return
func.func private @zeros(%x: memref<8x9xf32> {relax.dims = ["8", "9"]}, %out: memref<9x9xf32> {relax.dims = ["9", "9"], relax.result}) {
  %lowest = arith.constant 0xff800000 : f32
  %zero = arith.constant 0.0 : f32
  %padded = memref.alloc() : memref<10x11xf32>
  linalg.fill ins(%zero : f32) outs(%padded : memref<10x11xf32>)
  %inside = memref.subview %padded[1, 1] [8, 9] [1, 1] : memref<10x11xf32> to memref<8x9xf32, strided<[11, 1], offset: 12>>
  memref.copy %x, %inside : memref<8x9xf32> to memref<8x9xf32, strided<[11, 1], offset: 12>>
  %window = memref.alloc() : memref<2x3xf32>
  linalg.fill ins(%lowest : f32) outs(%out : memref<9x9xf32>)
  linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0 + d2, d1 + d3)>, affine_map<(d0, d1, d2, d3) -> (d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%padded, %window : memref<10x11xf32>, memref<2x3xf32>) outs(%out : memref<9x9xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %m = arith.maximumf %acc, %a : f32
    linalg.yield %m : f32
  }
  memref.dealloc %padded : memref<10x11xf32>
  memref.dealloc %window : memref<2x3xf32>
  func.return
}

// -----

// A maximum that does not start from the lowest number is not split by axes.

// CHECK:       func.func private @start
// CHECK-NOT:     scf.for
// CHECK:         iterator_types = ["parallel", "reduction"]
func.func private @start(%x: memref<9xf32> {relax.dims = ["9"]}, %out: memref<7xf32> {relax.dims = ["7"], relax.result}) {
  %zero = arith.constant 0.0 : f32
  %window = memref.alloc() : memref<3xf32>
  linalg.fill ins(%zero : f32) outs(%out : memref<7xf32>)
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0 + d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%x, %window : memref<9xf32>, memref<3xf32>) outs(%out : memref<7xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %m = arith.maximumf %acc, %a : f32
    linalg.yield %m : f32
  }
  memref.dealloc %window : memref<3xf32>
  func.return
}

// -----

// A mean is divided row by row, while the sums are near; a single row as a whole.

// CHECK:       @mean:
// CHECK-NEXT:    fuse_epilogue()
// CHECK-NEXT:    tile(d0, 1)
// CHECK:       func.func private @mean
// CHECK:         scf.for %t0
// CHECK:           vector.store
// CHECK:           linalg.generic {{.*}} ins(%out_1 :
// CHECK:             arith.divf
func.func private @mean(%x: memref<8x32xf32> {relax.dims = ["8", "32"]}, %out: memref<4x16xf32> {relax.dims = ["4", "16"], relax.result}) {
  %zero = arith.constant 0.0 : f32
  %window = memref.alloc() : memref<2x2xf32>
  linalg.fill ins(%zero : f32) outs(%out : memref<4x16xf32>)
  linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0 * 2 + d2, d1 * 2 + d3)>, affine_map<(d0, d1, d2, d3) -> (d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%x, %window : memref<8x32xf32>, memref<2x2xf32>) outs(%out : memref<4x16xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %s = arith.addf %acc, %a : f32
    linalg.yield %s : f32
  }
  memref.dealloc %window : memref<2x2xf32>
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%out : memref<4x16xf32>) outs(%out : memref<4x16xf32>) {
  ^bb0(%a: f32, %b: f32):
    %four = arith.constant 4.0 : f32
    %m = arith.divf %a, %four : f32
    linalg.yield %m : f32
  }
  func.return
}

// -----

// CHECK:       @row:
// CHECK-NEXT:    fuse_epilogue()
// CHECK-NOT:     tile
// CHECK:       func.func private @row
func.func private @row(%x: memref<32xf32> {relax.dims = ["32"]}, %out: memref<16xf32> {relax.dims = ["16"], relax.result}) {
  %zero = arith.constant 0.0 : f32
  %window = memref.alloc() : memref<2xf32>
  linalg.fill ins(%zero : f32) outs(%out : memref<16xf32>)
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0 * 2 + d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%x, %window : memref<32xf32>, memref<2xf32>) outs(%out : memref<16xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %s = arith.addf %acc, %a : f32
    linalg.yield %s : f32
  }
  memref.dealloc %window : memref<2xf32>
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%out : memref<16xf32>) outs(%out : memref<16xf32>) {
  ^bb0(%a: f32, %b: f32):
    %two = arith.constant 2.0 : f32
    %m = arith.divf %a, %two : f32
    linalg.yield %m : f32
  }
  func.return
}
