// RUN: relax-opt %s -p 'relax-schedule{cpu=x86-64-v3}' | filecheck %s

// The steps of a recurrence. The weights are the same in all of them: their panels are made before the loop, and
// freed after it.

// CHECK:       func.func private @steps
// CHECK:         %panels = memref.alloc() {alignment = 64 : i64} : memref<3x64x16xf32>
// CHECK:         func.call @transpose_8x8_f32
// CHECK:         scf.for %t = %c0 to %n step %c1 {
// CHECK-NOT:       memref.alloc
// CHECK-NOT:       func.call @transpose
// CHECK:           %{{.*}} = memref.subview %panels[%{{.*}}, 0, 0] [1, 64, 16] [1, 1, 1]
// CHECK:           func.call @contract_2x16_f32
// CHECK:           memref.copy
// CHECK-NEXT:    }
// CHECK-NEXT:    memref.dealloc %panels
func.func private @steps(%n: index {relax.symbol = "n"}, %h: memref<2x64xf32> {relax.dims = ["2", "64"]}, %w: memref<48x64xf32> {relax.dims = ["48", "64"]}, %out: memref<?x2x48xf32> {relax.dims = ["n", "2", "48"]}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %sums = memref.alloc() {alignment = 64 : i64} : memref<2x48xf32>
  scf.for %t = %c0 to %n step %c1 {
    linalg.fill ins(%zero : f32) outs(%sums : memref<2x48xf32>)
    linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%h, %w : memref<2x64xf32>, memref<48x64xf32>) outs(%sums : memref<2x48xf32>) {
    ^bb0(%a: f32, %b: f32, %acc: f32):
      %p = arith.mulf %a, %b : f32
      %s = arith.addf %acc, %p : f32
      linalg.yield %s : f32
    }
    %view = memref.subview %out[%t, 0, 0] [1, 2, 48] [1, 1, 1] : memref<?x2x48xf32> to memref<2x48xf32, strided<[48, 1], offset: ?>>
    memref.copy %sums, %view : memref<2x48xf32> to memref<2x48xf32, strided<[48, 1], offset: ?>>
  }
  memref.dealloc %sums : memref<2x48xf32>
  func.return
}

// Each step changes them, through a view; and two rows alone are not worth panels of a step's own.

// CHECK:       func.func private @changing
// CHECK-NOT:     memref.alloc() {alignment = 64 : i64} : memref<3x64x16xf32>
// CHECK:         scf.for %t = %c0 to %n step %c1 {
// CHECK-NEXT:      linalg.fill
// CHECK-NEXT:      linalg.generic
// CHECK-NOT:     func.call
func.func private @changing(%n: index {relax.symbol = "n"}, %h: memref<2x64xf32> {relax.dims = ["2", "64"]}, %w: memref<48x64xf32> {relax.dims = ["48", "64"]}, %out: memref<?x2x48xf32> {relax.dims = ["n", "2", "48"]}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %sums = memref.alloc() {alignment = 64 : i64} : memref<2x48xf32>
  scf.for %t = %c0 to %n step %c1 {
    linalg.fill ins(%zero : f32) outs(%sums : memref<2x48xf32>)
    linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%h, %w : memref<2x64xf32>, memref<48x64xf32>) outs(%sums : memref<2x48xf32>) {
    ^bb0(%a: f32, %b: f32, %acc: f32):
      %p = arith.mulf %a, %b : f32
      %s = arith.addf %acc, %p : f32
      linalg.yield %s : f32
    }
    %view = memref.subview %out[%t, 0, 0] [1, 2, 48] [1, 1, 1] : memref<?x2x48xf32> to memref<2x48xf32, strided<[48, 1], offset: ?>>
    memref.copy %sums, %view : memref<2x48xf32> to memref<2x48xf32, strided<[48, 1], offset: ?>>
    %some = memref.subview %w[0, 0] [8, 64] [1, 1] : memref<48x64xf32> to memref<8x64xf32, strided<[64, 1]>>
    linalg.fill ins(%zero : f32) outs(%some : memref<8x64xf32, strided<[64, 1]>>)
  }
  memref.dealloc %sums : memref<2x48xf32>
  func.return
}
