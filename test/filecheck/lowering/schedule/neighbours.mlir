// RUN: relax-opt %s -p 'relax-schedule{cpu=x86-64-v3}' | filecheck %s

// An array that is read at two places is read twice.

// CHECK:       func.func private @differences
// CHECK:         scf.for %[[I:.*]] = %c0 to
// CHECK:           %[[NEXT:.*]] = arith.addi %c1, %[[I]]
// CHECK:           vector.load %x[%[[NEXT]]]
// CHECK:           vector.load %x[%[[I]]]
func.func private @differences(%n: index {relax.symbol = "n"}, %x: memref<?xf32> {relax.dims = ["n + 1"]}, %out: memref<?xf32> {relax.dims = ["n"], relax.result}) attributes {relax.schedule = "vectorize(d0, 4)"} {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i + 1)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%x, %x : memref<?xf32>, memref<?xf32>) outs(%out : memref<?xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %d = arith.subf %a, %b : f32
    linalg.yield %d : f32
  }
  func.return
}
