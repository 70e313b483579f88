// RUN: relax-opt %s -p relax-buffer-results-to-out-params | filecheck %s

// What a private function gives lies where its caller wants it.
// CHECK-LABEL: func.func private @double(
// CHECK-SAME:    %y: memref<?xf32> {relax.dims = ["n + 1"], relax.result}) {
// CHECK:         func.call @fill(%n, %y)
// CHECK-NEXT:    func.return
func.func private @fill(%n: index {relax.symbol = "n"}, %out: memref<?xf32> {relax.dims = ["n + 1"], relax.result})
func.func private @step(%n: index {relax.symbol = "n"}, %x: memref<?xf32> {relax.dims = ["n"]}, %out: memref<?xf32> {relax.dims = ["n"], relax.result})
func.func private @more() -> i1
func.func private @double(%n: index {relax.symbol = "n"}) -> (memref<?xf32> {relax.dims = ["n + 1"]}) {
  %c1 = arith.constant 1 : index
  %m = arith.addi %n, %c1 : index
  %y = memref.alloc(%m) : memref<?xf32>
  func.call @fill(%n, %y) : (index, memref<?xf32>) -> ()
  func.return %y : memref<?xf32>
}

// CHECK-LABEL: func.func @caller(
// CHECK:         %[[M:.*]] = arith.addi %k, %{{.*}} : index
// CHECK-NEXT:    %a = memref.alloc(%[[M]])
// CHECK-NEXT:    func.call @double(%k, %a) : (index, memref<?xf32>) -> ()
// CHECK-NEXT:    memref.dealloc %a
func.func @caller(%k: index {relax.symbol = "k"}) {
  %a = func.call @double(%k) : (index) -> memref<?xf32>
  memref.dealloc %a : memref<?xf32>
  func.return
}

// One that others see keeps its signature.
// CHECK-LABEL: func.func private @seen_inside(
// CHECK-SAME:    relax.result})
// CHECK-LABEL: func.func @seen(
// CHECK-SAME:    -> (memref<?xf32> {relax.dims = ["n"]})
// CHECK:         %y = memref.alloc(%n)
// CHECK-NEXT:    func.call @seen_inside(%n, %x, %y)
// CHECK-NEXT:    func.return %y
func.func @seen(%n: index {relax.symbol = "n"}, %x: memref<?xf32> {relax.dims = ["n"]}) -> (memref<?xf32> {relax.dims = ["n"]}) {
  %y = memref.alloc(%n) : memref<?xf32>
  func.call @step(%n, %x, %y) : (index, memref<?xf32>, memref<?xf32>) -> ()
  func.return %y : memref<?xf32>
}

// CHECK-LABEL: func.func @calls_it(
// CHECK:         func.call @seen_inside(
func.func @calls_it(%n: index {relax.symbol = "n"}, %x: memref<?xf32> {relax.dims = ["n"]}) {
  %y = func.call @seen(%n, %x) : (index, memref<?xf32>) -> memref<?xf32>
  memref.dealloc %y : memref<?xf32>
  func.return
}

// A loop that reads its state while it writes the next one has two buffers, which take turns. The result
// outlives the block: it is copied to the first of them, unless it lies there.
// CHECK-LABEL: func.func @turns(
// CHECK:         %own = memref.alloc(%n)
// CHECK:         %[[SPARE:.*]] = memref.alloc(%{{.*}})
// CHECK-NEXT:    %y, %{{.*}} = scf.while (%s = %own, %{{.*}} = %[[SPARE]])
// CHECK:         ^bb0(%t: memref<?xf32>, %next: memref<?xf32>):
// CHECK-NEXT:      func.call @step(%n, %t, %next)
// CHECK-NEXT:      scf.yield %next, %t
// CHECK:         memref.copy %y, %own
// CHECK-NEXT:    memref.dealloc %[[SPARE]]
// CHECK-NEXT:    func.return %own
func.func @turns(%n: index {relax.symbol = "n"}, %x: memref<?xf32> {relax.dims = ["n"]}) -> (memref<?xf32> {relax.dims = ["n"]}) {
  %own = memref.alloc(%n) : memref<?xf32>
  memref.copy %x, %own : memref<?xf32> to memref<?xf32>
  %y = scf.while (%s = %own) : (memref<?xf32>) -> memref<?xf32> {
    %c = func.call @more() : () -> i1
    scf.condition(%c) %s : memref<?xf32>
  } do {
  ^bb0(%t: memref<?xf32>):
    %next = memref.alloc(%n) : memref<?xf32>
    func.call @step(%n, %t, %next) : (index, memref<?xf32>, memref<?xf32>) -> ()
    memref.dealloc %t : memref<?xf32>
    scf.yield %next : memref<?xf32>
  }
  func.return %y : memref<?xf32>
}

// One that has read its state for the last time before the next one is allocated writes over it.
// CHECK-LABEL: func.func @over(
// CHECK:         ^bb0(%t: memref<?xf32>):
// CHECK-NEXT:      %a = memref.alloc(%n)
// CHECK-NEXT:      func.call @step(%n, %t, %a)
// CHECK-NEXT:      func.call @step(%n, %a, %t)
// CHECK-NEXT:      memref.dealloc %a
// CHECK-NEXT:      scf.yield %t
// CHECK:         memref.dealloc %own
func.func @over(%n: index {relax.symbol = "n"}, %x: memref<?xf32> {relax.dims = ["n"]}) {
  %own = memref.alloc(%n) : memref<?xf32>
  memref.copy %x, %own : memref<?xf32> to memref<?xf32>
  %y = scf.while (%s = %own) : (memref<?xf32>) -> memref<?xf32> {
    %c = func.call @more() : () -> i1
    scf.condition(%c) %s : memref<?xf32>
  } do {
  ^bb0(%t: memref<?xf32>):
    %a = memref.alloc(%n) : memref<?xf32>
    func.call @step(%n, %t, %a) : (index, memref<?xf32>, memref<?xf32>) -> ()
    memref.dealloc %t : memref<?xf32>
    %next = memref.alloc(%n) : memref<?xf32>
    func.call @step(%n, %a, %next) : (index, memref<?xf32>, memref<?xf32>) -> ()
    memref.dealloc %a : memref<?xf32>
    scf.yield %next : memref<?xf32>
  }
  memref.dealloc %y : memref<?xf32>
  func.return
}

// A state that grows is allocated in every turn.
// CHECK-LABEL: func.func @grows(
// CHECK:         ^bb0(%t: memref<?xf32>):
// CHECK:           %next = memref.alloc(
// CHECK:           memref.dealloc %t
// CHECK:           scf.yield %next
func.func @grows(%n: index {relax.symbol = "n"}, %x: memref<?xf32> {relax.dims = ["n"]}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %own = memref.alloc(%n) : memref<?xf32>
  memref.copy %x, %own : memref<?xf32> to memref<?xf32>
  %y = scf.while (%s = %own) : (memref<?xf32>) -> memref<?xf32> {
    %c = func.call @more() : () -> i1
    scf.condition(%c) %s : memref<?xf32>
  } do {
  ^bb0(%t: memref<?xf32>):
    %old = memref.dim %t, %c0 : memref<?xf32>
    %new = arith.addi %old, %c1 : index
    %next = memref.alloc(%new) : memref<?xf32>
    func.call @fill(%old, %next) : (index, memref<?xf32>) -> ()
    memref.dealloc %t : memref<?xf32>
    scf.yield %next : memref<?xf32>
  }
  memref.dealloc %y : memref<?xf32>
  func.return
}

// What both branches allocate is allocated before them, where they agree on its size.
// CHECK-LABEL: func.func @branches(
// CHECK:         %y = memref.alloc(%n)
// CHECK-NEXT:    %z = scf.if %c -> (memref<?xf32>) {
// CHECK:           func.call @step(%n, %x, %y)
// CHECK:         } else {
// CHECK:           memref.copy %x, %y
func.func @branches(%n: index {relax.symbol = "n"}, %m: index {relax.symbol = "m"}, %x: memref<?xf32> {relax.dims = ["n"]}, %c: i1) {
  %y, %z = scf.if %c -> (memref<?xf32>, memref<?xf32>) {
    %a = memref.alloc(%n) : memref<?xf32>
    func.call @step(%n, %x, %a) : (index, memref<?xf32>, memref<?xf32>) -> ()
    %b = memref.alloc(%n) : memref<?xf32>
    func.call @step(%n, %x, %b) : (index, memref<?xf32>, memref<?xf32>) -> ()
    scf.yield %a, %b : memref<?xf32>, memref<?xf32>
  } else {
    %a = memref.alloc(%n) : memref<?xf32>
    memref.copy %x, %a : memref<?xf32> to memref<?xf32>
    %b = memref.alloc(%m) : memref<?xf32>
    scf.yield %a, %b : memref<?xf32>, memref<?xf32>
  }
  memref.dealloc %y : memref<?xf32>
  memref.dealloc %z : memref<?xf32>
  func.return
}

// A state that each turn writes over is freed where it was allocated: its buffer is not handed around.
// CHECK-LABEL: func.func @changed(
// CHECK:         %[[R:.*]] = scf.while (%s = %own)
// CHECK:         func.call @fill(%n, %[[R]])
// CHECK-NEXT:    memref.dealloc %own
func.func @changed(%n: index {relax.symbol = "n"}) {
  %own = memref.alloc(%n) : memref<?xf32>
  %y = scf.while (%s = %own) : (memref<?xf32>) -> memref<?xf32> {
    %c = func.call @more() : () -> i1
    scf.condition(%c) %s : memref<?xf32>
  } do {
  ^bb0(%t: memref<?xf32>):
    func.call @fill(%n, %t) : (index, memref<?xf32>) -> ()
    scf.yield %t : memref<?xf32>
  }
  func.call @fill(%n, %y) : (index, memref<?xf32>) -> ()
  memref.dealloc %y : memref<?xf32>
  func.return
}

// Two states that never meet have a spare buffer each, and each is copied to where it began.
// CHECK-LABEL: func.func @apart(
// CHECK:         %a = memref.alloc(%n)
// CHECK-NEXT:    %b = memref.alloc(%n)
// CHECK-COUNT-2: memref.alloc
// CHECK-NOT:     memref.alloc
// CHECK:         ^bb0(%t: memref<?xf32>, %u: memref<?xf32>, %v: memref<?xf32>, %w: memref<?xf32>):
// CHECK:           scf.yield %v, %w, %t, %u
// CHECK:         memref.copy %z, %b
// CHECK-NEXT:    memref.dealloc
// CHECK-NEXT:    memref.copy %y, %a
// CHECK-NEXT:    memref.dealloc
// CHECK-NEXT:    func.return %a, %b
func.func @apart(%n: index {relax.symbol = "n"}) -> (memref<?xf32>, memref<?xf32>) {
  %a = memref.alloc(%n) : memref<?xf32>
  %b = memref.alloc(%n) : memref<?xf32>
  %y, %z = scf.while (%p = %a, %q = %b) : (memref<?xf32>, memref<?xf32>) -> (memref<?xf32>, memref<?xf32>) {
    %c = func.call @more() : () -> i1
    scf.condition(%c) %p, %q : memref<?xf32>, memref<?xf32>
  } do {
  ^bb0(%t: memref<?xf32>, %u: memref<?xf32>):
    %v = memref.alloc(%n) : memref<?xf32>
    func.call @step(%n, %t, %v) : (index, memref<?xf32>, memref<?xf32>) -> ()
    %w = memref.alloc(%n) : memref<?xf32>
    func.call @step(%n, %u, %w) : (index, memref<?xf32>, memref<?xf32>) -> ()
    memref.dealloc %t : memref<?xf32>
    memref.dealloc %u : memref<?xf32>
    scf.yield %v, %w : memref<?xf32>, memref<?xf32>
  }
  func.return %y, %z : memref<?xf32>, memref<?xf32>
}

// Of several results those become arguments that the function allocates.
// CHECK-LABEL: func.func private @some(
// CHECK-SAME:    %y: memref<?xf32> {relax.dims = ["n"], relax.result}) -> (index, memref<?xf32> {relax.dims = ["n"]}) {
// CHECK:         func.return %n, %x : index, memref<?xf32>
func.func private @some(%n: index {relax.symbol = "n"}, %x: memref<?xf32> {relax.dims = ["n"]}) -> (index, memref<?xf32> {relax.dims = ["n"]}, memref<?xf32> {relax.dims = ["n"]}) {
  %y = memref.alloc(%n) : memref<?xf32>
  func.call @step(%n, %x, %y) : (index, memref<?xf32>, memref<?xf32>) -> ()
  func.return %n, %x, %y : index, memref<?xf32>, memref<?xf32>
}

// CHECK-LABEL: func.func @calls_some(
// CHECK:         %b = memref.alloc(%k)
// CHECK-NEXT:    %m, %a = func.call @some(%k, %x, %b) : (index, memref<?xf32>, memref<?xf32>) -> (index, memref<?xf32>)
// CHECK-NEXT:    func.call @step(%m, %a, %b)
func.func @calls_some(%k: index {relax.symbol = "k"}, %x: memref<?xf32> {relax.dims = ["k"]}) {
  %m, %a, %b = func.call @some(%k, %x) : (index, memref<?xf32>) -> (index, memref<?xf32>, memref<?xf32>)
  func.call @step(%m, %a, %b) : (index, memref<?xf32>, memref<?xf32>) -> ()
  memref.dealloc %b : memref<?xf32>
  func.return
}

// One that function values are made of keeps its signature too.
// CHECK-LABEL: func.func private @valued_inside(
// CHECK-SAME:    relax.result})
// CHECK-LABEL: func.func private @valued(
// CHECK-SAME:    -> (memref<?xf32> {relax.dims = ["n + 1"]})
// CHECK:         func.call @valued_inside(%n, %y)
// CHECK-LABEL: func.func @calls_valued(
// CHECK:         func.call @valued_inside(%k, %a)
func.func private @value() -> !relax.object attributes {relax.makes = @valued, relax.packed = "valued"}
func.func private @valued(%n: index {relax.symbol = "n"}) -> (memref<?xf32> {relax.dims = ["n + 1"]}) {
  %c1 = arith.constant 1 : index
  %m = arith.addi %n, %c1 : index
  %y = memref.alloc(%m) : memref<?xf32>
  func.call @fill(%n, %y) : (index, memref<?xf32>) -> ()
  func.return %y : memref<?xf32>
}
func.func @calls_valued(%k: index {relax.symbol = "k"}) {
  %a = func.call @valued(%k) : (index) -> memref<?xf32>
  memref.dealloc %a : memref<?xf32>
  func.return
}
