// RUN: relax-opt %s | relax-opt | filecheck %s
// RUN: relax-opt %s --print-op-generic | relax-opt | filecheck %s

// MLIR's op, which xDSL lacks.

// CHECK: memref.prefetch %m[%i, %i], read, locality<3>, data : memref<?x4xf32>
// CHECK: memref.prefetch %m[%i, %i], write, locality<0>, instr : memref<?x4xf32>
func.func @f(%m: memref<?x4xf32>, %i: index) {
  memref.prefetch %m[%i, %i], read, locality<3>, data : memref<?x4xf32>
  memref.prefetch %m[%i, %i], write, locality<0>, instr : memref<?x4xf32>
  func.return
}
