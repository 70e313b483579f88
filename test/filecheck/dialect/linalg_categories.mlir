// RUN: relax-opt %s | filecheck %s

// CHECK: linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
// CHECK: arith.divui
// CHECK: linalg.generic {{{.*}}iterator_types = ["parallel", "reduction"]}
// CHECK: arith.mulf
// CHECK: arith.addf
func.func @f(%a: memref<?xi32>, %x: memref<4x5xf32>, %y: memref<5xf32>, %z: memref<4xf32>) {
  linalg.elementwise kind=#linalg.elementwise_kind<div_unsigned> ins(%a, %a : memref<?xi32>, memref<?xi32>) outs(%a : memref<?xi32>)
  linalg.contract indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i)>] ins(%x, %y : memref<4x5xf32>, memref<5xf32>) outs(%z : memref<4xf32>)
  func.return
}
