// RUN: relax-opt %s -p 'relax-schedule{cpu=x86-64-v3}' | filecheck %s

// What follows writes over the left operand, of which other tiles have yet to read rows: it stays after all tiles.

// CHECK:       func.func private @f
// CHECK:         func.call @contract_up_to_6x16_f32
// CHECK-NOT:     ins(%out, %x
// CHECK:       } else {
// CHECK:         linalg.fill
// CHECK:         linalg.generic
// CHECK:       linalg.generic
// CHECK-SAME:    ins(%{{.*}}, %[[X:.*]] : memref<?xf32>, memref<?xf32>) outs(%[[X]] : memref<?xf32>)
// CHECK:         arith.addf
func.func private @f(%n: index {relax.symbol = "n"}, %x: memref<?x64xf32> {relax.dims = ["n", "64"]}, %w: memref<64x64xf32> {relax.dims = ["64", "64"]}, %out: memref<?x64xf32> {relax.dims = ["n", "64"], relax.result}) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%out : memref<?x64xf32>)
  linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : memref<?x64xf32>, memref<64x64xf32>) outs(%out : memref<?x64xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %acc, %0 : f32
    linalg.yield %1 : f32
  }
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%out, %x : memref<?x64xf32>, memref<?x64xf32>) outs(%x : memref<?x64xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.addf %a, %b : f32
    linalg.yield %0 : f32
  }
  func.return
}
