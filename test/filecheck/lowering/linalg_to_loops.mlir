// RUN: relax-opt %s -p relax-linalg-to-loops | filecheck %s

// i-k-j: the innermost loop walks %B and %C along their rows; the element of %A is loaded outside.
func.func private @matmul(%n: index {relax.symbol = "n"},
    %A: memref<?x64xf32> {relax.dims = ["n", "64"]},
    %B: memref<64x128xf32> {relax.dims = ["64", "128"]},
    %C: memref<?x128xf32> {relax.dims = ["n", "128"], relax.result}) {
  %zero = arith.constant 0.000000e+00 : f32
  linalg.fill ins(%zero : f32) outs(%C : memref<?x128xf32>)
  linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>,
                                   affine_map<(i, j, k) -> (k, j)>,
                                   affine_map<(i, j, k) -> (i, j)>],
                  iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%A, %B : memref<?x64xf32>, memref<64x128xf32>) outs(%C : memref<?x128xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %c, %p : f32
    linalg.yield %s : f32
  }
  func.return
}
// CHECK:      func.func private @matmul(
// CHECK:        scf.for %i = %c0 to %n step %c1 {
// CHECK-NEXT:     scf.for %j = %c0 to %c128 step %c1 {
// CHECK-NEXT:       memref.store %zero, %C[%i, %j] : memref<?x128xf32>
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT:   scf.for %i_1 = %c0 to %n step %c1 {
// CHECK-NEXT:     scf.for %k = %c0 to %c64 step %c1 {
// CHECK-NEXT:       %a = memref.load %A[%i_1, %k] : memref<?x64xf32>
// CHECK-NEXT:       scf.for %j_1 = %c0 to %c128 step %c1 {
// CHECK-NEXT:         %b = memref.load %B[%k, %j_1] : memref<64x128xf32>
// CHECK-NEXT:         %c = memref.load %C[%i_1, %j_1] : memref<?x128xf32>
// CHECK-NEXT:         %p = arith.mulf %a, %b : f32
// CHECK-NEXT:         %s = arith.addf %c, %p : f32
// CHECK-NEXT:         memref.store %s, %C[%i_1, %j_1] : memref<?x128xf32>
// CHECK-NEXT:       }
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return

// The innermost reductions carry their accumulator and store it once.
func.func private @sum(%n: index {relax.symbol = "n"}, %m: index {relax.symbol = "m"},
    %x: memref<?x?x3xf32> {relax.dims = ["n", "m", "3"]},
    %y: memref<?xf32> {relax.dims = ["n"], relax.result}) {
  linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j, k) -> (i)>],
                  iterator_types = ["parallel", "reduction", "reduction"]}
      ins(%x : memref<?x?x3xf32>) outs(%y : memref<?xf32>) {
  ^bb0(%v: f32, %acc: f32):
    %s = arith.addf %acc, %v : f32
    linalg.yield %s : f32
  }
  func.return
}
// CHECK:      func.func private @sum(
// CHECK:        scf.for %i = %c0 to %n step %c1 {
// CHECK-NEXT:     %acc = memref.load %y[%i] : memref<?xf32>
// CHECK-NEXT:     [[ALL:%.*]] = scf.for %j = %c0 to %m step %c1 iter_args(%acc_1 = %acc) -> (f32) {
// CHECK-NEXT:       [[ROW:%.*]] = scf.for %k = %c0 to %c3 step %c1 iter_args(%acc_2 = %acc_1) -> (f32) {
// CHECK-NEXT:         %v = memref.load %x[%i, %j, %k] : memref<?x?x3xf32>
// CHECK-NEXT:         %s = arith.addf %acc_2, %v : f32
// CHECK-NEXT:         scf.yield %s : f32
// CHECK-NEXT:       }
// CHECK-NEXT:       scf.yield [[ROW]] : f32
// CHECK-NEXT:     }
// CHECK-NEXT:     memref.store [[ALL]], %y[%i] : memref<?xf32>
// CHECK-NEXT:   }

// The window operand is there for its shape: it is not loaded, and its memory goes. Subscripts are
// computed in the outermost loop that knows them.
func.func private @pool(%n: index {relax.symbol = "n"},
    %x: memref<?x6xf32> {relax.dims = ["2 * n + 1", "6"]},
    %y: memref<?x5xf32> {relax.dims = ["n", "5"], relax.result}) {
  %window = memref.alloc() : memref<3x2xf32>
  linalg.generic {indexing_maps = [affine_map<(i, j, p, q) -> (i * 2 + p, j + q)>,
                                   affine_map<(i, j, p, q) -> (p, q)>,
                                   affine_map<(i, j, p, q) -> (i, j)>],
                  iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%x, %window : memref<?x6xf32>, memref<3x2xf32>) outs(%y : memref<?x5xf32>) {
  ^bb0(%v: f32, %w: f32, %acc: f32):
    %m = arith.maximumf %acc, %v : f32
    linalg.yield %m : f32
  }
  memref.dealloc %window : memref<3x2xf32>
  func.return
}
// CHECK:      func.func private @pool(
// CHECK-NOT:    memref.alloc
// CHECK:        scf.for %i = %c0 to %n step %c1 {
// CHECK-NEXT:     [[DOUBLE:%.*]] = arith.muli %i, %c2 : index
// CHECK-NEXT:     scf.for %k = %c0 to %c3 step %c1 {
// CHECK-NEXT:       [[AT:%.*]] = arith.addi [[DOUBLE]], %k : index
// CHECK-NEXT:       scf.for %l = %c0 to %c2 step %c1 {
// CHECK-NEXT:         scf.for %j = %c0 to %c5 step %c1 {
// CHECK-NEXT:           [[COLUMN:%.*]] = arith.addi %j, %l : index
// CHECK-NEXT:           %v = memref.load %x{{\[}}[[AT]], [[COLUMN]]] : memref<?x6xf32>
// CHECK-NEXT:           %acc = memref.load %y[%i, %j] : memref<?x5xf32>
// CHECK-NEXT:           %m = arith.maximumf %acc, %v : f32
// CHECK-NEXT:           memref.store %m, %y[%i, %j] : memref<?x5xf32>
// CHECK-NOT:    memref.dealloc

// A size without a name is read once, and only then; linalg.index is the counter of its loop.
func.func private @count(%x: memref<?xindex> {relax.dims = ["?"]}) {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      outs(%x : memref<?xindex>) {
  ^bb0(%o: index):
    %at = linalg.index 0 : index
    linalg.yield %at : index
  }
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      outs(%x : memref<?xindex>) {
  ^bb0(%o: index):
    %r = arith.addi %o, %o : index
    linalg.yield %r : index
  }
  func.return
}
// CHECK:      func.func private @count(
// CHECK:        [[SIZE:%.*]] = memref.dim %x, %c0 : memref<?xindex>
// CHECK-NEXT:   scf.for %i = %c0 to [[SIZE]] step %c1 {
// CHECK-NEXT:     memref.store %i, %x[%i] : memref<?xindex>
// CHECK-NEXT:   }
// CHECK-NEXT:   scf.for %i_1 = %c0 to [[SIZE]] step %c1 {

// Left as it is: no linalg, so not even its constants move.
func.func @no_linalg(%x: memref<4xf32>) {
  %c1 = arith.constant 1 : index
  %v = memref.load %x[%c1] : memref<4xf32>
  %c1_again = arith.constant 1 : index
  memref.store %v, %x[%c1_again] : memref<4xf32>
  func.return
}
// CHECK:      func.func @no_linalg(%x: memref<4xf32>) {
// CHECK-NEXT:   %c1 = arith.constant 1 : index
// CHECK-NEXT:   %v = memref.load %x[%c1] : memref<4xf32>
// CHECK-NEXT:   %c1_again = arith.constant 1 : index
