// RUN: relax-opt %s -p relax-reuse-buffers | filecheck %s

func.func private @make(%n: index {relax.symbol = "n"}, %out: memref<?x8xf32> {relax.dims = ["n", "8"], relax.result})
func.func private @halves(%n: index {relax.symbol = "n"}, %x: memref<?x8xf32> {relax.dims = ["n", "8"]}, %a: memref<?x4xf32> {relax.dims = ["n", "4"], relax.result}, %b: memref<?x4xf32> {relax.dims = ["n", "4"], relax.result}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %n step %c1 {
    scf.for %j = %c0 to %c4 step %c1 {
      %v = memref.load %x[%i, %j] : memref<?x8xf32>
      memref.store %v, %a[%i, %j] : memref<?x4xf32>
      %k = arith.addi %j, %c4 : index
      %w = memref.load %x[%i, %k] : memref<?x8xf32>
      memref.store %w, %b[%i, %j] : memref<?x4xf32>
    }
  }
  func.return
}

func.func private @cubes(%n: index {relax.symbol = "n"}, %x: memref<?x2x2xf32> {relax.dims = ["n", "2", "2"]}, %out: memref<?xf32> {relax.dims = ["n"], relax.result}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %x[%i, %c1, %c0] : memref<?x2x2xf32>
    memref.store %v, %out[%i] : memref<?xf32>
  }
  func.return
}
func.func private @rows(%n: index {relax.symbol = "n"}, %x: memref<?xf32> {relax.dims = ["4 * n"]}, %out: memref<?xf32> {relax.dims = ["n"], relax.result}) {
  %c0 = arith.constant 0 : index
  %v = memref.load %x[%c0] : memref<?xf32>
  memref.store %v, %out[%c0] : memref<?xf32>
  func.return
}

// A slice under another shape is a view with strides of its own.
// CHECK-LABEL: func.func @split(
// CHECK-NOT:     @halves
// CHECK:         %s = memref.reinterpret_cast %x to offset: [%{{.*}}], sizes: [%n, 2, 2], strides: [8, 2, 1]
// CHECK:         %t = memref.reinterpret_cast %x to offset: [%{{.*}}], sizes: [%n, 2, 2], strides: [8, 2, 1]
// CHECK:         func.call @cubes_strided(%n, %s, %out)
// CHECK-NEXT:    func.call @cubes_strided(%n, %t, %out)
// CHECK-NEXT:    memref.dealloc %x
func.func @split(%n: index {relax.symbol = "n"}, %out: memref<?xf32> {relax.dims = ["n"]}) {
  %x = memref.alloc(%n) : memref<?x8xf32>
  func.call @make(%n, %x) : (index, memref<?x8xf32>) -> ()
  %a = memref.alloc(%n) : memref<?x4xf32>
  %b = memref.alloc(%n) : memref<?x4xf32>
  func.call @halves(%n, %x, %a, %b) : (index, memref<?x8xf32>, memref<?x4xf32>, memref<?x4xf32>) -> ()
  memref.dealloc %x : memref<?x8xf32>
  %s = memref.reinterpret_cast %a to offset: [0], sizes: [%n, 2, 2], strides: [4, 2, 1] : memref<?x4xf32> to memref<?x2x2xf32>
  func.call @cubes(%n, %s, %out) : (index, memref<?x2x2xf32>, memref<?xf32>) -> ()
  memref.dealloc %a : memref<?x4xf32>
  %t = memref.reinterpret_cast %b to offset: [0], sizes: [%n, 2, 2], strides: [4, 2, 1] : memref<?x4xf32> to memref<?x2x2xf32>
  func.call @cubes(%n, %t, %out) : (index, memref<?x2x2xf32>, memref<?xf32>) -> ()
  memref.dealloc %b : memref<?x4xf32>
  func.return
}

// Rows that are joined are not side by side in what they are a part of: a copy stays.
// CHECK-LABEL: func.func @joined(
// CHECK:         func.call @halves(
func.func @joined(%n: index {relax.symbol = "n"}, %n4: index {relax.value = "4 * n"}, %out: memref<?xf32> {relax.dims = ["n"]}) {
  %c4 = arith.constant 4 : index
  %x = memref.alloc(%n) : memref<?x8xf32>
  func.call @make(%n, %x) : (index, memref<?x8xf32>) -> ()
  %a = memref.alloc(%n) : memref<?x4xf32>
  %b = memref.alloc(%n) : memref<?x4xf32>
  func.call @halves(%n, %x, %a, %b) : (index, memref<?x8xf32>, memref<?x4xf32>, memref<?x4xf32>) -> ()
  memref.dealloc %x : memref<?x8xf32>
  %m = arith.muli %n, %c4 : index
  %s = memref.reinterpret_cast %a to offset: [0], sizes: [%m], strides: [1] : memref<?x4xf32> to memref<?xf32>
  func.call @rows(%n, %s, %out) : (index, memref<?xf32>, memref<?xf32>) -> ()
  memref.dealloc %a : memref<?x4xf32>
  %t = memref.reinterpret_cast %b to offset: [0], sizes: [%m], strides: [1] : memref<?x4xf32> to memref<?xf32>
  func.call @rows(%n, %t, %out) : (index, memref<?xf32>, memref<?xf32>) -> ()
  memref.dealloc %b : memref<?x4xf32>
  func.return
}

// What a branch reads stays a copy: the memory of the whole is freed in this block.
// CHECK-LABEL: func.func @in_a_branch(
// CHECK:         func.call @halves(
func.func @in_a_branch(%n: index {relax.symbol = "n"}, %c: i1, %out: memref<?xf32> {relax.dims = ["n"]}) {
  %x = memref.alloc(%n) : memref<?x8xf32>
  func.call @make(%n, %x) : (index, memref<?x8xf32>) -> ()
  %a = memref.alloc(%n) : memref<?x4xf32>
  %b = memref.alloc(%n) : memref<?x4xf32>
  func.call @halves(%n, %x, %a, %b) : (index, memref<?x8xf32>, memref<?x4xf32>, memref<?x4xf32>) -> ()
  memref.dealloc %x : memref<?x8xf32>
  %s = memref.reinterpret_cast %a to offset: [0], sizes: [%n, 2, 2], strides: [4, 2, 1] : memref<?x4xf32> to memref<?x2x2xf32>
  func.call @cubes(%n, %s, %out) : (index, memref<?x2x2xf32>, memref<?xf32>) -> ()
  %t = memref.reinterpret_cast %b to offset: [0], sizes: [%n, 2, 2], strides: [4, 2, 1] : memref<?x4xf32> to memref<?x2x2xf32>
  scf.if %c {
    func.call @cubes(%n, %s, %out) : (index, memref<?x2x2xf32>, memref<?xf32>) -> ()
    func.call @cubes(%n, %t, %out) : (index, memref<?x2x2xf32>, memref<?xf32>) -> ()
  }
  memref.dealloc %a : memref<?x4xf32>
  func.call @cubes(%n, %t, %out) : (index, memref<?x2x2xf32>, memref<?xf32>) -> ()
  memref.dealloc %b : memref<?x4xf32>
  func.return
}
