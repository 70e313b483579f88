// RUN: relax-opt %s -p relax-reuse-buffers | filecheck %s

// CHECK:      func.func private @double_in_place(%n: index {relax.symbol = "n"}, %out: memref<?xf32> {relax.dims = ["n"], relax.result}) {
// CHECK:        %v = memref.load %out[%i] : memref<?xf32>
// CHECK-NEXT:   %w = arith.addf %v, %v : f32
// CHECK-NEXT:   memref.store %w, %out[%i] : memref<?xf32>
func.func private @double(%n: index {relax.symbol = "n"}, %x: memref<?xf32> {relax.dims = ["n"]}, %out: memref<?xf32> {relax.dims = ["n"], relax.result}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %x[%i] : memref<?xf32>
    %w = arith.addf %v, %v : f32
    memref.store %w, %out[%i] : memref<?xf32>
  }
  func.return
}

// Tiles of both are one.
// CHECK:      func.func private @rows_in_place(
// CHECK:        %from = memref.subview %out[%i, 0] [1, 4] [1, 1]
// CHECK-NOT:    memref.subview
// CHECK:        memref.store %w, %from[%j] : memref<4xf32, strided<[1], offset: ?>>
func.func private @rows(%n: index {relax.symbol = "n"}, %x: memref<?x4xf32> {relax.dims = ["n", "4"]}, %out: memref<?x4xf32> {relax.dims = ["n", "4"], relax.result}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %n step %c1 {
    %from = memref.subview %x[%i, 0] [1, 4] [1, 1] : memref<?x4xf32> to memref<4xf32, strided<[1], offset: ?>>
    %to = memref.subview %out[%i, 0] [1, 4] [1, 1] : memref<?x4xf32> to memref<4xf32, strided<[1], offset: ?>>
    scf.for %j = %c0 to %c4 step %c1 {
      %v = memref.load %from[%j] : memref<4xf32, strided<[1], offset: ?>>
      %w = arith.addf %v, %v : f32
      memref.store %w, %to[%j] : memref<4xf32, strided<[1], offset: ?>>
    }
  }
  func.return
}
func.func private @mirror(%n: index {relax.symbol = "n"}, %x: memref<?xf32> {relax.dims = ["n"]}, %out: memref<?xf32> {relax.dims = ["n"], relax.result}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %past = arith.subi %n, %i : index
    %j = arith.subi %past, %c1 : index
    %v = memref.load %x[%j] : memref<?xf32>
    memref.store %v, %out[%i] : memref<?xf32>
  }
  func.return
}
func.func private @look(%n: index {relax.symbol = "n"}, %x: memref<?xf32> {relax.dims = ["n"]})

// A value that dies is written over, all along a chain; so is what the caller gets.
// CHECK-LABEL: func.func @chain(
// CHECK:         %a = memref.alloc(%n)
// CHECK-NEXT:    func.call @double(%n, %x, %a)
// CHECK-NEXT:    func.call @double_in_place(%n, %a)
// CHECK-NEXT:    func.call @double_in_place(%n, %a)
// CHECK-NEXT:    func.return %a
func.func @chain(%n: index {relax.symbol = "n"}, %x: memref<?xf32> {relax.dims = ["n"]}) -> memref<?xf32> {
  %a = memref.alloc(%n) : memref<?xf32>
  func.call @double(%n, %x, %a) : (index, memref<?xf32>, memref<?xf32>) -> ()
  %b = memref.alloc(%n) : memref<?xf32>
  func.call @double(%n, %a, %b) : (index, memref<?xf32>, memref<?xf32>) -> ()
  memref.dealloc %a : memref<?xf32>
  %c = memref.alloc(%n) : memref<?xf32>
  func.call @double(%n, %b, %c) : (index, memref<?xf32>, memref<?xf32>) -> ()
  memref.dealloc %b : memref<?xf32>
  func.return %c : memref<?xf32>
}

func.func @tiles(%n: index {relax.symbol = "n"}, %b: memref<?x4xf32> {relax.dims = ["n", "4"]}) {
  %a = memref.alloc(%n) : memref<?x4xf32>
  func.call @rows(%n, %b, %a) : (index, memref<?x4xf32>, memref<?x4xf32>) -> ()
  %c = memref.alloc(%n) : memref<?x4xf32>
  func.call @rows(%n, %a, %c) : (index, memref<?x4xf32>, memref<?x4xf32>) -> ()
  memref.dealloc %a : memref<?x4xf32>
  memref.dealloc %c : memref<?x4xf32>
  func.return
}

// Not: elements that are read after others were written; values that are looked at later, also by a view;
// other sizes; one value twice.
// CHECK-LABEL: func.func @not(
// CHECK-NOT:     in_place
func.func @not(%n: index {relax.symbol = "n"}, %m: index {relax.symbol = "m"}) {
  %a = memref.alloc(%n) : memref<?xf32>
  %b = memref.alloc(%n) : memref<?xf32>
  func.call @mirror(%n, %a, %b) : (index, memref<?xf32>, memref<?xf32>) -> ()
  memref.dealloc %a : memref<?xf32>
  %view = memref.cast %b : memref<?xf32> to memref<?xf32>
  %c = memref.alloc(%n) : memref<?xf32>
  func.call @double(%n, %b, %c) : (index, memref<?xf32>, memref<?xf32>) -> ()
  func.call @look(%n, %view) : (index, memref<?xf32>) -> ()
  memref.dealloc %b : memref<?xf32>
  %d = memref.alloc(%m) : memref<?xf32>
  func.call @double(%n, %c, %d) : (index, memref<?xf32>, memref<?xf32>) -> ()
  memref.dealloc %c : memref<?xf32>
  func.call @double(%n, %d, %d) : (index, memref<?xf32>, memref<?xf32>) -> ()
  memref.dealloc %d : memref<?xf32>
  func.return
}

// Not in a loop over what is needed in the next turn.
// CHECK-LABEL: func.func @loop(
// CHECK-NOT:     in_place
func.func @loop(%n: index {relax.symbol = "n"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloc(%n) : memref<?xf32>
  scf.for %i = %c0 to %n step %c1 {
    %b = memref.alloc(%n) : memref<?xf32>
    func.call @double(%n, %a, %b) : (index, memref<?xf32>, memref<?xf32>) -> ()
    memref.dealloc %b : memref<?xf32>
  }
  memref.dealloc %a : memref<?xf32>
  func.return
}

func.func private @fresh(%n: index {relax.symbol = "n"}) -> (memref<?xf32> {relax.dims = ["n"]}) {
  %a = memref.alloc(%n) : memref<?xf32>
  func.return %a : memref<?xf32>
}
func.func private @change(%x: memref<?xf32>)

// What others made is written over as an allocation is, under another type and shape too.
// CHECK-LABEL: func.func @given(
// CHECK:         %a = func.call @fresh(%n)
// CHECK-NEXT:    func.call @double_in_place(%n, %a)
// CHECK-NEXT:    func.call @change(%a)
// CHECK-NEXT:    memref.dealloc %a
// CHECK-NEXT:    %c = memref.alloc() : memref<4xf32>
// CHECK-NEXT:    %d = memref.reinterpret_cast %c to offset: [0], sizes: [1, 4], strides: [4, 1]
// CHECK-NEXT:    %n4 = memref.reinterpret_cast %d to offset: [0], sizes: [4], strides: [1]
// CHECK:         %e = memref.cast %c
// CHECK:         func.call @double_in_place(%c4, %e)
// CHECK-NEXT:    memref.dealloc %c
func.func @given(%n: index {relax.symbol = "n"}) {
  %a = func.call @fresh(%n) : (index) -> memref<?xf32>
  %b = memref.alloc(%n) : memref<?xf32>
  func.call @double(%n, %a, %b) : (index, memref<?xf32>, memref<?xf32>) -> ()
  memref.dealloc %a : memref<?xf32>
  func.call @change(%b) : (memref<?xf32>) -> ()
  memref.dealloc %b : memref<?xf32>
  %c = memref.alloc() : memref<4xf32>
  %d = memref.reinterpret_cast %c to offset: [0], sizes: [1, 4], strides: [4, 1] : memref<4xf32> to memref<1x4xf32>
  %n4 = memref.reinterpret_cast %d to offset: [0], sizes: [4], strides: [1] : memref<1x4xf32> to memref<4xf32>
  %c4 = arith.constant 4 : index
  %e = memref.alloc(%c4) : memref<?xf32>
  %whole = memref.cast %n4 : memref<4xf32> to memref<?xf32>
  func.call @double(%c4, %whole, %e) : (index, memref<?xf32>, memref<?xf32>) -> ()
  memref.dealloc %c : memref<4xf32>
  memref.dealloc %e : memref<?xf32>
  func.return
}

// A turn writes over the state that it frees, and the loop starts from the value that it would copy; what is
// needed later is copied.
// CHECK-LABEL: func.func @state(
// CHECK:         %a = memref.alloc(%n)
// CHECK-NEXT:    func.call @double(%n, %x, %a)
// CHECK-NEXT:    %[[KEPT:.*]] = memref.alloc(%n)
// CHECK-NEXT:    memref.copy %x, %[[KEPT]]
// CHECK-NEXT:    %y, %z = scf.while (%s = %a, %t = %[[KEPT]])
// CHECK:         ^bb0(%u: memref<?xf32>, %v: memref<?xf32>):
// CHECK-NEXT:      func.call @double_in_place(%n, %u)
// CHECK-NEXT:      scf.yield %u, %v
func.func @state(%n: index {relax.symbol = "n"}, %x: memref<?xf32> {relax.dims = ["n"]}, %more: i1) -> (memref<?xf32>, memref<?xf32>) {
  %a = memref.alloc(%n) : memref<?xf32>
  func.call @double(%n, %x, %a) : (index, memref<?xf32>, memref<?xf32>) -> ()
  %own = memref.alloc(%n) : memref<?xf32>
  memref.copy %a, %own : memref<?xf32> to memref<?xf32>
  memref.dealloc %a : memref<?xf32>
  %kept = memref.alloc(%n) : memref<?xf32>
  memref.copy %x, %kept : memref<?xf32> to memref<?xf32>
  %y, %z = scf.while (%s = %own, %t = %kept) : (memref<?xf32>, memref<?xf32>) -> (memref<?xf32>, memref<?xf32>) {
    scf.condition(%more) %s, %t : memref<?xf32>, memref<?xf32>
  } do {
  ^bb0(%u: memref<?xf32>, %v: memref<?xf32>):
    %next = memref.alloc(%n) : memref<?xf32>
    func.call @double(%n, %u, %next) : (index, memref<?xf32>, memref<?xf32>) -> ()
    memref.dealloc %u : memref<?xf32>
    scf.yield %next, %v : memref<?xf32>, memref<?xf32>
  }
  func.return %y, %z : memref<?xf32>, memref<?xf32>
}

func.func private @make() -> !relax.object
func.func private @use(!relax.object)

// A further reference to an object is the one that is given up, unless somebody uses that in between.
// CHECK-LABEL: func.func @object(
// CHECK-NEXT:    %o = func.call @make()
// CHECK-NEXT:    func.call @use(%o)
// CHECK-NEXT:    %p = relax.retain %o
// CHECK-NEXT:    func.call @use(%o)
// CHECK-NEXT:    relax.release %o
// CHECK-NEXT:    relax.release %p
func.func @object() {
  %o = func.call @make() : () -> !relax.object
  %r = relax.retain %o
  relax.release %o
  func.call @use(%r) : (!relax.object) -> ()
  %p = relax.retain %r
  func.call @use(%r) : (!relax.object) -> ()
  relax.release %r
  relax.release %p
  func.return
}

// A function that others see stays, and one of the module's own writes in place.
// CHECK:       func.func @seen(
// CHECK:       func.func private @seen_in_place(
func.func @seen(%x: memref<4xf32> {relax.dims = ["4"]}, %out: memref<4xf32> {relax.dims = ["4"], relax.result}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %c4 step %c1 {
    %v = memref.load %x[%i] : memref<4xf32>
    memref.store %v, %out[%i] : memref<4xf32>
  }
  func.return
}
func.func @sees() -> memref<4xf32> {
  %a = memref.alloc() : memref<4xf32>
  func.call @change4(%a) : (memref<4xf32>) -> ()
  %b = memref.alloc() : memref<4xf32>
  func.call @seen(%a, %b) : (memref<4xf32>, memref<4xf32>) -> ()
  memref.dealloc %a : memref<4xf32>
  func.return %b : memref<4xf32>
}
func.func private @change4(%x: memref<4xf32>)

func.func private @some() -> memref<?xf32>

// Sizes that no symbolic variable tells are compared, too: here those of all turns are one.
// CHECK-LABEL: func.func @found_at_run_time(
// CHECK:         scf.while
// CHECK:         func.call @double_in_place(%{{.*}}, %t)
// CHECK-NEXT:    scf.yield %t
func.func @found_at_run_time(%more: i1) {
  %c0 = arith.constant 0 : index
  %x = func.call @some() : () -> memref<?xf32>
  %n = memref.dim %x, %c0 : memref<?xf32>
  %a = memref.alloc(%n) : memref<?xf32>
  func.call @double(%n, %x, %a) : (index, memref<?xf32>, memref<?xf32>) -> ()
  %r = scf.while (%s = %a) : (memref<?xf32>) -> memref<?xf32> {
    scf.condition(%more) %s : memref<?xf32>
  } do {
  ^bb0(%t: memref<?xf32>):
    %b = memref.alloc(%n) : memref<?xf32>
    func.call @double(%n, %t, %b) : (index, memref<?xf32>, memref<?xf32>) -> ()
    memref.dealloc %t : memref<?xf32>
    scf.yield %b : memref<?xf32>
  }
  memref.dealloc %r : memref<?xf32>
  memref.dealloc %x : memref<?xf32>
  func.return
}

// A turn that finds another size writes elsewhere.
// CHECK-LABEL: func.func @found_in_each_turn(
// CHECK:         scf.while
// CHECK:         func.call @double(%{{.*}}, %y, %b)
// CHECK:         scf.yield %b
func.func @found_in_each_turn(%more: i1) {
  %c0 = arith.constant 0 : index
  %x = func.call @some() : () -> memref<?xf32>
  %r = scf.while (%s = %x) : (memref<?xf32>) -> memref<?xf32> {
    scf.condition(%more) %s : memref<?xf32>
  } do {
  ^bb0(%t: memref<?xf32>):
    %y = func.call @some() : () -> memref<?xf32>
    %m = memref.dim %y, %c0 : memref<?xf32>
    %b = memref.alloc(%m) : memref<?xf32>
    func.call @double(%m, %y, %b) : (index, memref<?xf32>, memref<?xf32>) -> ()
    %c = memref.alloc(%m) : memref<?xf32>
    func.call @double(%m, %t, %c) : (index, memref<?xf32>, memref<?xf32>) -> ()
    memref.dealloc %c : memref<?xf32>
    func.call @look(%m, %y) : (index, memref<?xf32>) -> ()
    memref.dealloc %y : memref<?xf32>
    memref.dealloc %t : memref<?xf32>
    scf.yield %b : memref<?xf32>
  }
  memref.dealloc %r : memref<?xf32>
  func.return
}
