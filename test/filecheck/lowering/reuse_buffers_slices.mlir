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

// CHECK: func.func private @sum_strided(%n: index {relax.symbol = "n"}, %x: memref<?x4xf32, strided<[8, 1], offset: ?>> {relax.dims = ["n", "4"]}
// CHECK: memref.subview %x[%i, 0] [1, 4] [1, 1] : memref<?x4xf32, strided<[8, 1], offset: ?>> to memref<4xf32, strided<[1], offset: ?>>
func.func private @sum(%n: index {relax.symbol = "n"}, %x: memref<?x4xf32> {relax.dims = ["n", "4"]}, %out: memref<?xf32> {relax.dims = ["n"], relax.result}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %row = memref.subview %x[%i, 0] [1, 4] [1, 1] : memref<?x4xf32> to memref<4xf32, strided<[1], offset: ?>>
    %v = memref.load %row[%c0] : memref<4xf32, strided<[1], offset: ?>>
    memref.store %v, %out[%i] : memref<?xf32>
  }
  func.return
}
func.func private @flat(%n: index {relax.symbol = "n"}, %x: memref<?x4xf32> {relax.dims = ["n", "4"]}, %out: memref<?xf32> {relax.dims = ["n"], relax.result}) {
  %row = memref.collapse_shape %x [[0 : i64, 1 : i64]] : memref<?x4xf32> into memref<?xf32>
  %c0 = arith.constant 0 : index
  %v = memref.load %row[%c0] : memref<?xf32>
  memref.store %v, %out[%c0] : memref<?xf32>
  func.return
}

// Both halves are views; what they look at is freed after the last of them.
// CHECK-LABEL: func.func @read(
// CHECK:         %a = memref.reinterpret_cast %x to offset: [%{{.*}}], sizes: [%n, 4], strides: [8, 1] : memref<?x8xf32> to memref<?x4xf32, strided<[8, 1], offset: ?>>
// CHECK:         %c4 = arith.constant 4 : index
// CHECK-NEXT:    %b = memref.reinterpret_cast %x to offset: [%c4]
// CHECK-NEXT:    func.call @sum_strided(%n, %a, %out)
// CHECK-NEXT:    func.call @sum_strided(%n, %b, %out)
// CHECK-NEXT:    memref.dealloc %x
func.func @read(%n: index {relax.symbol = "n"}, %out: memref<?xf32> {relax.dims = ["n"]}) {
  %x = memref.alloc(%n) : memref<?x8xf32>
  func.call @make(%n, %x) : (index, memref<?x8xf32>) -> ()
  %a = memref.alloc(%n) : memref<?x4xf32>
  %b = memref.alloc(%n) : memref<?x4xf32>
  func.call @halves(%n, %x, %a, %b) : (index, memref<?x8xf32>, memref<?x4xf32>, memref<?x4xf32>) -> ()
  memref.dealloc %x : memref<?x8xf32>
  func.call @sum(%n, %a, %out) : (index, memref<?x4xf32>, memref<?xf32>) -> ()
  memref.dealloc %a : memref<?x4xf32>
  func.call @sum(%n, %b, %out) : (index, memref<?x4xf32>, memref<?xf32>) -> ()
  memref.dealloc %b : memref<?x4xf32>
  func.return
}

// Not where a slice is handed out.
// CHECK-LABEL: func.func @given(
// CHECK:         func.call @halves
func.func @given(%n: index {relax.symbol = "n"}, %x: memref<?x8xf32> {relax.dims = ["n", "8"]}, %out: memref<?xf32> {relax.dims = ["n"]}) -> memref<?x4xf32> {
  %a = memref.alloc(%n) : memref<?x4xf32>
  %b = memref.alloc(%n) : memref<?x4xf32>
  func.call @halves(%n, %x, %a, %b) : (index, memref<?x8xf32>, memref<?x4xf32>, memref<?x4xf32>) -> ()
  func.call @sum(%n, %a, %out) : (index, memref<?x4xf32>, memref<?xf32>) -> ()
  memref.dealloc %a : memref<?x4xf32>
  func.return %b : memref<?x4xf32>
}

// Not where what it is a part of is written to before it is read.
// CHECK-LABEL: func.func @changed(
// CHECK:         func.call @halves
func.func @changed(%n: index {relax.symbol = "n"}, %out: memref<?xf32> {relax.dims = ["n"]}) {
  %x = memref.alloc(%n) : memref<?x8xf32>
  func.call @make(%n, %x) : (index, memref<?x8xf32>) -> ()
  %a = memref.alloc(%n) : memref<?x4xf32>
  %b = memref.alloc(%n) : memref<?x4xf32>
  func.call @halves(%n, %x, %a, %b) : (index, memref<?x8xf32>, memref<?x4xf32>, memref<?x4xf32>) -> ()
  func.call @sum(%n, %a, %out) : (index, memref<?x4xf32>, memref<?xf32>) -> ()
  memref.dealloc %a : memref<?x4xf32>
  func.call @make(%n, %x) : (index, memref<?x8xf32>) -> ()
  memref.dealloc %x : memref<?x8xf32>
  func.call @sum(%n, %b, %out) : (index, memref<?x4xf32>, memref<?xf32>) -> ()
  memref.dealloc %b : memref<?x4xf32>
  func.return
}

// Not where a reader joins dimensions between which there is a gap.
// CHECK-LABEL: func.func @joined(
// CHECK:         func.call @halves
func.func @joined(%n: index {relax.symbol = "n"}, %x: memref<?x8xf32> {relax.dims = ["n", "8"]}, %out: memref<?xf32> {relax.dims = ["n"]}) {
  %a = memref.alloc(%n) : memref<?x4xf32>
  %b = memref.alloc(%n) : memref<?x4xf32>
  func.call @halves(%n, %x, %a, %b) : (index, memref<?x8xf32>, memref<?x4xf32>, memref<?x4xf32>) -> ()
  func.call @sum(%n, %a, %out) : (index, memref<?x4xf32>, memref<?xf32>) -> ()
  memref.dealloc %a : memref<?x4xf32>
  func.call @flat(%n, %b, %out) : (index, memref<?x4xf32>, memref<?xf32>) -> ()
  memref.dealloc %b : memref<?x4xf32>
  func.return
}

func.func private @quarter(%n: index {relax.symbol = "n"}, %x: memref<?x8xf32> {relax.dims = ["n", "8"]}, %a: memref<?x2xf32> {relax.dims = ["n", "2"], relax.result}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  scf.for %i = %c0 to %n step %c1 {
    scf.for %j = %c0 to %c2 step %c1 {
      %v = memref.load %x[%i, %j] : memref<?x8xf32>
      memref.store %v, %a[%i, %j] : memref<?x2xf32>
    }
  }
  func.return
}
func.func private @look(%n: index {relax.symbol = "n"}, %x: memref<?x2xf32> {relax.dims = ["n", "2"]}) {
  func.return
}

// A small part does not keep memory that is ours, only what is somebody else's.
// CHECK-LABEL: func.func @small(
// CHECK:         func.call @quarter(%n, %x, %a)
// CHECK:         memref.reinterpret_cast %y
// CHECK-NOT:     @quarter
func.func @small(%n: index {relax.symbol = "n"}, %y: memref<?x8xf32> {relax.dims = ["n", "8"]}) {
  %x = memref.alloc(%n) : memref<?x8xf32>
  func.call @make(%n, %x) : (index, memref<?x8xf32>) -> ()
  %a = memref.alloc(%n) : memref<?x2xf32>
  func.call @quarter(%n, %x, %a) : (index, memref<?x8xf32>, memref<?x2xf32>) -> ()
  memref.dealloc %x : memref<?x8xf32>
  func.call @look(%n, %a) : (index, memref<?x2xf32>) -> ()
  memref.dealloc %a : memref<?x2xf32>
  %b = memref.alloc(%n) : memref<?x2xf32>
  func.call @quarter(%n, %y, %b) : (index, memref<?x8xf32>, memref<?x2xf32>) -> ()
  func.call @look(%n, %b) : (index, memref<?x2xf32>) -> ()
  memref.dealloc %b : memref<?x2xf32>
  func.return
}

func.func private @add(%n: index {relax.symbol = "n"}, %x: memref<?x4xf32> {relax.dims = ["n", "4"]}, %y: memref<?x4xf32> {relax.dims = ["n", "4"]}, %z: memref<?x4xf32> {relax.dims = ["n", "4"]}, %out: memref<?x4xf32> {relax.dims = ["n", "4"], relax.result}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %n step %c1 {
    scf.for %j = %c0 to %c4 step %c1 {
      %u = memref.load %x[%i, %j] : memref<?x4xf32>
      %v = memref.load %y[%i, %j] : memref<?x4xf32>
      %w = memref.load %z[%i, %j] : memref<?x4xf32>
      %s = arith.addf %u, %v : f32
      %t = arith.addf %s, %w : f32
      memref.store %t, %out[%i, %j] : memref<?x4xf32>
    }
  }
  func.return
}
func.func private @fill(%n: index {relax.symbol = "n"}, %out: memref<?x4xf32> {relax.dims = ["n", "4"], relax.result})

// One call takes slices of two values and writes its result over a third, which dies; the memory of a view is
// not written over.
// CHECK-LABEL: func.func @several(
// CHECK-NOT:     @halves
// CHECK:         %a = memref.reinterpret_cast %x
// CHECK:         %c = memref.reinterpret_cast %y
// CHECK:         %z = memref.alloc(%n)
// CHECK-NEXT:    func.call @fill(%n, %z)
// CHECK-NEXT:    func.call @add_strided_strided_in_place(%n, %a, %c, %z)
// CHECK:         %d = memref.reinterpret_cast %x
// CHECK:         %e = memref.alloc(%n)
// CHECK-NEXT:    func.call @add_strided(%n, %d, %z, %z, %e)
// CHECK-NEXT:    memref.dealloc %z
// CHECK-NEXT:    func.return %e
func.func @several(%n: index {relax.symbol = "n"}, %x: memref<?x8xf32> {relax.dims = ["n", "8"]}, %y: memref<?x8xf32> {relax.dims = ["n", "8"]}) -> memref<?x4xf32> {
  %a = memref.alloc(%n) : memref<?x4xf32>
  func.call @first(%n, %x, %a) : (index, memref<?x8xf32>, memref<?x4xf32>) -> ()
  %c = memref.alloc(%n) : memref<?x4xf32>
  func.call @first(%n, %y, %c) : (index, memref<?x8xf32>, memref<?x4xf32>) -> ()
  %z = memref.alloc(%n) : memref<?x4xf32>
  func.call @fill(%n, %z) : (index, memref<?x4xf32>) -> ()
  %r = memref.alloc(%n) : memref<?x4xf32>
  func.call @add(%n, %a, %c, %z, %r) : (index, memref<?x4xf32>, memref<?x4xf32>, memref<?x4xf32>, memref<?x4xf32>) -> ()
  memref.dealloc %a : memref<?x4xf32>
  memref.dealloc %c : memref<?x4xf32>
  memref.dealloc %z : memref<?x4xf32>
  %d = memref.alloc(%n) : memref<?x4xf32>
  func.call @first(%n, %x, %d) : (index, memref<?x8xf32>, memref<?x4xf32>) -> ()
  %e = memref.alloc(%n) : memref<?x4xf32>
  func.call @add(%n, %d, %r, %r, %e) : (index, memref<?x4xf32>, memref<?x4xf32>, memref<?x4xf32>, memref<?x4xf32>) -> ()
  memref.dealloc %d : memref<?x4xf32>
  memref.dealloc %r : memref<?x4xf32>
  func.return %e : memref<?x4xf32>
}

func.func private @first(%n: index {relax.symbol = "n"}, %x: memref<?x8xf32> {relax.dims = ["n", "8"]}, %a: memref<?x4xf32> {relax.dims = ["n", "4"], relax.result}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %n step %c1 {
    scf.for %j = %c0 to %c4 step %c1 {
      %v = memref.load %x[%i, %j] : memref<?x8xf32>
      memref.store %v, %a[%i, %j] : memref<?x4xf32>
    }
  }
  func.return
}
