// RUN: relax-opt %s --split-input-file -p relax-linalg-to-loops | filecheck %s

// Rows of three parts: they share the loop over the rows, and the last two have one element each.

// CHECK:       func.func private @columns
// CHECK:         scf.for %i = %c0 to %n step %c1 {
// CHECK-NEXT:      %[[A:.*]] = memref.subview %a[%i, 0] [1, 6] [1, 1] : memref<?x6xf32> to memref<6xf32, strided<[1], offset: ?>>
// CHECK-NEXT:      %[[LEFT:.*]] = memref.subview %left[%i, 0] [1, 6] [1, 1]
// CHECK-NEXT:      memref.copy %[[A]], %[[LEFT]]
// CHECK-NEXT:      %[[B:.*]] = memref.load %b[%i, %c0]
// CHECK-NEXT:      memref.store %[[B]], %middle[%i, %c0]
// CHECK-NEXT:      memref.load %c[%i, %c0]
// CHECK-NEXT:      memref.store
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return
func.func private @columns(%n: index {relax.symbol = "n"}, %a: memref<?x6xf32> {relax.dims = ["n", "6"]}, %b: memref<?x1xf32> {relax.dims = ["n", "1"]}, %c: memref<?x1xf32> {relax.dims = ["n", "1"]}, %out: memref<?x8xf32> {relax.dims = ["n", "8"], relax.result}) {
  %left = memref.subview %out[0, 0] [%n, 6] [1, 1] : memref<?x8xf32> to memref<?x6xf32, strided<[8, 1]>>
  memref.copy %a, %left : memref<?x6xf32> to memref<?x6xf32, strided<[8, 1]>>
  %middle = memref.subview %out[0, 6] [%n, 1] [1, 1] : memref<?x8xf32> to memref<?x1xf32, strided<[8, 1], offset: 6>>
  memref.copy %b, %middle : memref<?x1xf32> to memref<?x1xf32, strided<[8, 1], offset: 6>>
  %right = memref.subview %out[0, 7] [%n, 1] [1, 1] : memref<?x8xf32> to memref<?x1xf32, strided<[8, 1], offset: 7>>
  memref.copy %c, %right : memref<?x1xf32> to memref<?x1xf32, strided<[8, 1], offset: 7>>
  func.return
}

// -----

// Parts one above the other are copies of their own, and so are two with a store between them.

// CHECK:       func.func private @rows
// CHECK-NOT:     scf.for
// CHECK:       func.func private @apart
// CHECK-NOT:     scf.for
func.func private @rows(%n: index {relax.symbol = "n"}, %a: memref<?x4xf32> {relax.dims = ["n", "4"]}, %out: memref<?x4xf32> {relax.dims = ["2 * n", "4"], relax.result}) {
  %top = memref.subview %out[0, 0] [%n, 4] [1, 1] : memref<?x4xf32> to memref<?x4xf32, strided<[4, 1]>>
  memref.copy %a, %top : memref<?x4xf32> to memref<?x4xf32, strided<[4, 1]>>
  %bottom = memref.subview %out[%n, 0] [%n, 4] [1, 1] : memref<?x4xf32> to memref<?x4xf32, strided<[4, 1], offset: ?>>
  memref.copy %a, %bottom : memref<?x4xf32> to memref<?x4xf32, strided<[4, 1], offset: ?>>
  func.return
}
func.func private @apart(%n: index {relax.symbol = "n"}, %a: memref<?x4xf32> {relax.dims = ["n", "4"]}, %x: f32, %out: memref<?x8xf32> {relax.dims = ["n", "8"], relax.result}) {
  %c0 = arith.constant 0 : index
  %left = memref.subview %out[0, 0] [%n, 4] [1, 1] : memref<?x8xf32> to memref<?x4xf32, strided<[8, 1]>>
  memref.copy %a, %left : memref<?x4xf32> to memref<?x4xf32, strided<[8, 1]>>
  memref.store %x, %out[%c0, %c0] : memref<?x8xf32>
  %right = memref.subview %out[0, 4] [%n, 4] [1, 1] : memref<?x8xf32> to memref<?x4xf32, strided<[8, 1], offset: 4>>
  memref.copy %a, %right : memref<?x4xf32> to memref<?x4xf32, strided<[8, 1], offset: 4>>
  func.return
}

// -----

// A fill is a part like any other: one element is a store.

// CHECK:       func.func private @framed
// CHECK:         scf.for %i = %c0 to %n step %c1 {
// CHECK-NEXT:      memref.store %s, %left[%i, %c0]
// CHECK:           memref.copy
// CHECK-NOT:     scf.for %i =
// CHECK:           scf.for %[[I:.*]] = %c0 to %c3 step %c1 {
// CHECK-NEXT:        memref.store %s, {{.*}}[%[[I]]]
func.func private @framed(%n: index {relax.symbol = "n"}, %a: memref<?x6xf32> {relax.dims = ["n", "6"]}, %s: f32, %out: memref<?x10xf32> {relax.dims = ["n", "10"], relax.result}) {
  %left = memref.subview %out[0, 0] [%n, 1] [1, 1] : memref<?x10xf32> to memref<?x1xf32, strided<[10, 1]>>
  linalg.fill ins(%s : f32) outs(%left : memref<?x1xf32, strided<[10, 1]>>)
  %middle = memref.subview %out[0, 1] [%n, 6] [1, 1] : memref<?x10xf32> to memref<?x6xf32, strided<[10, 1], offset: 1>>
  memref.copy %a, %middle : memref<?x6xf32> to memref<?x6xf32, strided<[10, 1], offset: 1>>
  %right = memref.subview %out[0, 7] [%n, 3] [1, 1] : memref<?x10xf32> to memref<?x3xf32, strided<[10, 1], offset: 7>>
  linalg.fill ins(%s : f32) outs(%right : memref<?x3xf32, strided<[10, 1], offset: 7>>)
  func.return
}
