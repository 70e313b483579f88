// RUN: relax-opt %s --split-input-file -p relax-schedule | filecheck %s

// Rows and columns are walked as one by all operands; images are not, since the bias has one number for each.

// CHECK:       func.func private @bias
// CHECK-NEXT:    %[[OUT:.*]] = memref.collapse_shape %out
// CHECK-NEXT:    %[[A:.*]] = memref.collapse_shape %a {{\[\[}}0 : i64], [1 : i64, 2 : i64]] : memref<?x7x7xf32> into memref<?x49xf32>
// CHECK:         linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
// CHECK-SAME:      ins(%[[A]], %b : memref<?x49xf32>, memref<?xf32>) outs(%[[OUT]] : memref<?x49xf32>)
func.func private @bias(%a: memref<?x7x7xf32> {relax.dims = ["n", "7", "7"]}, %b: memref<?xf32> {relax.dims = ["n"]}, %out: memref<?x7x7xf32> {relax.dims = ["n", "7", "7"], relax.result}) {
  linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%a, %b : memref<?x7x7xf32>, memref<?xf32>) outs(%out : memref<?x7x7xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %s = arith.addf %x, %y : f32
    linalg.yield %s : f32
  }
  func.return
}

// -----

// A part of an array has gaps between its rows, a body that asks for indices counts them: both stay.

// CHECK:       func.func private @kept
// CHECK-NOT:     memref.collapse_shape
// CHECK:         func.return
func.func private @kept(%a: memref<4x8xf32, strided<[16, 1]>>, %out: memref<4x8xf32>, %i: memref<4x8xindex>) {
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%a : memref<4x8xf32, strided<[16, 1]>>) outs(%out : memref<4x8xf32>) {
  ^bb0(%x: f32, %o: f32):
    linalg.yield %x : f32
  }
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} outs(%i : memref<4x8xindex>) {
  ^bb0(%o: index):
    %d = linalg.index 1 : index
    linalg.yield %d : index
  }
  func.return
}
