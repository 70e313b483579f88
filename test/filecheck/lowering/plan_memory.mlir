// RUN: relax-opt %s -p relax-plan-memory | filecheck %s

// What is needed no more gives its place to the next that fits for every n.
// CHECK-LABEL: func.func @chain(
// CHECK-SAME:  attributes {relax.frame = "5120 * n"}
// CHECK:       %a = memref.alloc(%n) {relax.offset = "0"} : memref<?x1024xf32>
// CHECK:       %b = memref.alloc(%n) {relax.offset = "4096 * n"} : memref<?x256xf32>
// CHECK:       %c = memref.alloc(%n) {relax.offset = "0"} : memref<?x512xf32>
func.func @chain(%n: index {relax.symbol = "n"}) {
  %a = memref.alloc(%n) : memref<?x1024xf32>
  %b = memref.alloc(%n) : memref<?x256xf32>
  memref.dealloc %a : memref<?x1024xf32>
  %c = memref.alloc(%n) : memref<?x512xf32>
  memref.dealloc %b : memref<?x256xf32>
  memref.dealloc %c : memref<?x512xf32>
  func.return
}

// Where nothing tells which is the larger, what comes after both starts at the larger of their ends.
// CHECK-LABEL: func.func @unknown_order(
// CHECK-SAME:  relax.frame = "1024 * m + max(2048 * n, 4096 * m)"
// CHECK:       memref.alloc(%n) {relax.offset = "0"}
// CHECK:       memref.alloc(%m) {relax.offset = "max(2048 * n, 4096 * m)"}
// CHECK:       memref.alloc(%m) {relax.offset = "0"}
func.func @unknown_order(%n: index {relax.symbol = "n"}, %m: index {relax.symbol = "m"}) {
  %a = memref.alloc(%n) : memref<?x512xf32>
  %b = memref.alloc(%m) : memref<?x256xf32>
  memref.dealloc %a : memref<?x512xf32>
  %c = memref.alloc(%m) : memref<?x1024xf32>
  memref.dealloc %b : memref<?x256xf32>
  memref.dealloc %c : memref<?x1024xf32>
  func.return
}

// Sizes are computed as the ops compute them, and rounded up to whole cache lines; none is negative.
// CHECK-LABEL: func.func @sizes(
// CHECK-SAME:  relax.frame = "64 * ((max(n - 2, 0) * n + 15) floordiv 16) + 64"
// CHECK:       memref.alloc(%{{.*}}, %n) {relax.offset = "0"} : memref<?x?xf32>
// CHECK:       memref.alloc() {relax.offset = "64 * ((max(n - 2, 0) * n + 15) floordiv 16)"} : memref<i1>
func.func @sizes(%n: index {relax.symbol = "n"}, %x: memref<?xf32> {relax.dims = ["n - 2"]}) {
  %c0 = arith.constant 0 : index
  %size = memref.dim %x, %c0 : memref<?xf32>
  %a = memref.alloc(%size, %n) : memref<?x?xf32>
  %b = memref.alloc() : memref<i1>
  memref.dealloc %a : memref<?x?xf32>
  memref.dealloc %b : memref<i1>
  func.return
}

// Branches share, and a turn of a loop has the places of the turn before.
// CHECK-LABEL: func.func @regions(
// CHECK-SAME:  relax.frame = "1024"
// CHECK:       %then = memref.alloc() {relax.offset = "0"}
// CHECK:       %else = memref.alloc() {relax.offset = "0"}
// CHECK:       %turn = memref.alloc() {relax.offset = "512"}
func.func @regions(%c: i1, %n: index {relax.symbol = "n"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.if %c {
    %then = memref.alloc() : memref<128xf32>
    memref.dealloc %then : memref<128xf32>
  } else {
    %else = memref.alloc() : memref<128xf32>
    memref.dealloc %else : memref<128xf32>
  }
  %around = memref.alloc() : memref<128xf32>
  scf.for %i = %c0 to %n step %c1 {
    %turn = memref.alloc() : memref<128xf32>
    memref.dealloc %turn : memref<128xf32>
  }
  memref.dealloc %around : memref<128xf32>
  func.return
}

// No place: results, what another block frees, sizes that are known only later. No frame without places.
// CHECK-LABEL: func.func @none(
// CHECK-NOT:   relax.frame
// CHECK-NOT:   relax.offset
func.func @none(%c: i1, %n: index {relax.symbol = "n"}, %p: memref<index>) -> memref<?xf32> {
  %later = memref.load %p[] : memref<index>
  %a = memref.alloc(%later) : memref<?xf32>
  memref.dealloc %a : memref<?xf32>
  %b = scf.if %c -> (memref<?xf32>) {
    %then = memref.alloc(%n) : memref<?xf32>
    scf.yield %then : memref<?xf32>
  } else {
    %else = memref.alloc(%n) : memref<?xf32>
    scf.yield %else : memref<?xf32>
  }
  memref.dealloc %b : memref<?xf32>
  %result = memref.alloc(%n) : memref<?xf32>
  func.return %result : memref<?xf32>
}

// What is called has its frame, after a header, where the frame of the caller has room at the time.
// CHECK-LABEL: func.func @calls(
// CHECK-SAME:  relax.frame = "max(1024 * n + 2112, 4096 * n)"
func.func @calls(%n: index {relax.symbol = "n"}) {
  %a = memref.alloc(%n) : memref<?x1024xf32>
  memref.dealloc %a : memref<?x1024xf32>
  // CHECK: func.call @callee(%n) {relax.offset = "0"}
  func.call @callee(%n) : (index) -> ()
  %b = memref.alloc() : memref<512xf32>
  // CHECK: func.call @no_frame(%n) {relax.offset = "0"}
  func.call @no_frame(%n) : (index) -> ()
  // CHECK: func.call @nothing() :
  func.call @nothing() : () -> ()
  memref.dealloc %b : memref<512xf32>
  func.return
}
// CHECK-LABEL: func.func private @callee(
// CHECK-SAME:  relax.frame = "1024 * k"
func.func private @callee(%k: index {relax.symbol = "k"}) {
  %a = memref.alloc(%k) : memref<?x256xf32>
  memref.dealloc %a : memref<?x256xf32>
  func.return
}
func.func private @no_frame(%k: index {relax.symbol = "k"}) {
  func.call @callee(%k) : (index) -> ()
  func.return
}
func.func private @nothing() {
  func.return
}

// Where a function may be called again before it returns, what it calls comes after its frame.
// CHECK-LABEL: func.func private @recursive(
// CHECK-SAME:  relax.frame = "64 * ((k + 15) floordiv 16) + 1024 * k + 64"
func.func private @recursive(%k: index {relax.symbol = "k"}) {
  %a = memref.alloc(%k) : memref<?xf32>
  // CHECK: func.call @callee(%k) {relax.offset = "0"}
  func.call @callee(%k) : (index) -> ()
  // CHECK: func.call @recursive(%k) {relax.offset = "64 * ((k + 15) floordiv 16) + 1024 * k + 64"}
  func.call @recursive(%k) : (index) -> ()
  memref.dealloc %a : memref<?xf32>
  func.return
}
