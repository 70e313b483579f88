// RUN: relax-opt %s --split-input-file -p relax-schedule | filecheck %s

// A maximum over 3 x 3 in a border: rows inside of %x are joined at once, then their elements; no copy of the border.

// CHECK:       func.func private @pool
// CHECK-NEXT:    %lowest = arith.constant 0xff800000 : f32
// CHECK-NOT:     memref.copy
// CHECK:         %row = memref.alloc() {alignment = 64 : i64} : memref<11xf32>
// CHECK:         linalg.fill ins(%lowest : f32) outs(%row : memref<11xf32>)
// CHECK:         scf.for
// CHECK:           arith.cmpi sge
// CHECK:           arith.cmpi slt
// CHECK:           scf.if
// CHECK:             linalg.generic
// CHECK-SAME:          ins(%x_1, %x_2, %x_3 : memref<9xf32, strided<[1], offset: ?>>,
// CHECK:           } else {
// CHECK:             linalg.fill
// CHECK:             scf.for
// CHECK:               linalg.generic
// CHECK:           linalg.generic
// CHECK-SAME:        affine_map<(d0) -> ((d0 * 2))>, affine_map<(d0) -> (((d0 * 2) + 1))>
// CHECK-SAME:        ins(%row, %row, %row : memref<11xf32>, memref<11xf32>, memref<11xf32>)
// CHECK:         memref.dealloc %row
// CHECK-NEXT:    func.return
func.func private @pool(%x: memref<8x9xf32> {relax.dims = ["8", "9"]}, %out: memref<4x5xf32> {relax.dims = ["4", "5"], relax.result}) {
  %lowest = arith.constant 0xff800000 : f32
  %padded = memref.alloc() : memref<10x11xf32>
  linalg.fill ins(%lowest : f32) outs(%padded : memref<10x11xf32>)
  %inside = memref.subview %padded[1, 1] [8, 9] [1, 1] : memref<10x11xf32> to memref<8x9xf32, strided<[11, 1], offset: 12>>
  "memref.copy"(%x, %inside) : (memref<8x9xf32>, memref<8x9xf32, strided<[11, 1], offset: 12>>) -> ()
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

// CHECK:       func.func private @zeros
// CHECK:         memref.copy
// CHECK:         %row = memref.alloc
// CHECK-NOT:     scf.if
// CHECK:         func.return
func.func private @zeros(%x: memref<8x9xf32> {relax.dims = ["8", "9"]}, %out: memref<9x9xf32> {relax.dims = ["9", "9"], relax.result}) {
  %lowest = arith.constant 0xff800000 : f32
  %zero = arith.constant 0.0 : f32
  %padded = memref.alloc() : memref<10x11xf32>
  linalg.fill ins(%zero : f32) outs(%padded : memref<10x11xf32>)
  %inside = memref.subview %padded[1, 1] [8, 9] [1, 1] : memref<10x11xf32> to memref<8x9xf32, strided<[11, 1], offset: 12>>
  "memref.copy"(%x, %inside) : (memref<8x9xf32>, memref<8x9xf32, strided<[11, 1], offset: 12>>) -> ()
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
