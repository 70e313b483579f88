// RUN: relax-opt %s -p 'relax-schedule{cpu=x86-64-v3 print=true}' 2>&1 | filecheck %s

// Functions that become long arithmetic are computed in vectors, whatever lies next to a row: as long as another row, or
// one number for all of it. Logarithms, which have arithmetic of their own for usual numbers, stay as they are, and so do
// narrow floats and sums alone.

// CHECK:       @gate:
// CHECK-NEXT:    vectorize(d1, 8)
// CHECK-NEXT:  @short:
// CHECK-NEXT:    vectorize(d0, 4)
// CHECK-NEXT:  builtin.module

// CHECK:       func.func private @gate(
// CHECK:         scf.for %d0
// CHECK:           scf.for %d1 {{.*}} step %c8
// CHECK:             vector.load %x
// CHECK:             vector.load %row
// CHECK:             memref.load %column
// CHECK:             math.tanh %{{.*}} : vector<8xf32>
// CHECK:             vector.store
// CHECK:           scf.for %d1
// CHECK:             math.tanh %{{.*}} : f32
func.func private @gate(%n: index {relax.symbol = "n"}, %m: index {relax.symbol = "m"}, %x: memref<?x?xf32> {relax.dims = ["n", "m"]}, %row: memref<?xf32> {relax.dims = ["m"]}, %column: memref<?xf32> {relax.dims = ["n"]}, %out: memref<?x?xf32> {relax.dims = ["n", "m"], relax.result}) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%x, %row, %column : memref<?x?xf32>, memref<?xf32>, memref<?xf32>) outs(%out : memref<?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %o: f32):
    %0 = arith.addf %a, %b : f32
    %1 = math.tanh %0 : f32
    %2 = arith.mulf %1, %c : f32
    linalg.yield %2 : f32
  }
  func.return
}

func.func private @short(%x: memref<7xf32> {relax.dims = ["7"]}, %out: memref<7xf32> {relax.dims = ["7"], relax.result}) {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%x : memref<7xf32>) outs(%out : memref<7xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = math.exp %a : f32
    linalg.yield %0 : f32
  }
  func.return
}

func.func private @logarithms(%x: memref<64xf32> {relax.dims = ["64"]}, %out: memref<64xf32> {relax.dims = ["64"], relax.result}) {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%x : memref<64xf32>) outs(%out : memref<64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = math.log %a : f32
    %1 = math.exp %0 : f32
    linalg.yield %1 : f32
  }
  func.return
}

func.func private @narrow(%x: memref<64xf16> {relax.dims = ["64"]}, %out: memref<64xf16> {relax.dims = ["64"], relax.result}) {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%x : memref<64xf16>) outs(%out : memref<64xf16>) {
  ^bb0(%a: f16, %o: f16):
    %0 = math.exp %a : f16
    linalg.yield %0 : f16
  }
  func.return
}

func.func private @sums(%x: memref<64xf32> {relax.dims = ["64"]}, %out: memref<64xf32> {relax.dims = ["64"], relax.result}) {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%x : memref<64xf32>) outs(%out : memref<64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.addf %a, %a : f32
    linalg.yield %0 : f32
  }
  func.return
}
