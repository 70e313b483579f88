// RUN: relax-opt %s -p relax-concat-in-place | filecheck %s

func.func private @more() -> i1
func.func private @last(%n: index {relax.symbol = "n"}, %x: memref<?x4xf32> {relax.dims = ["n", "4"]}, %out: memref<1x4xf32> {relax.dims = ["1", "4"], relax.result})
func.func private @concat(%n: index {relax.symbol = "n"}, %x: memref<?x4xf32> {relax.dims = ["n", "4"]}, %y: memref<1x4xf32> {relax.dims = ["1", "4"]}, %out: memref<?x4xf32> {relax.dims = ["n + 1", "4"], relax.result}) attributes {relax.joins} {
  func.return
}

// The loop carries bytes and how many rows lie there; the result is checked to have n + 7 of 16 bytes, so
// there is room for them at once. What a turn makes itself is written where the rows end.
// CHECK-LABEL: func.func @grows(
// CHECK:         %[[BYTES:.*]] = arith.addi %{{.*}}, %c112 : index
// CHECK-NEXT:    %own = memref.alloc(%[[BYTES]]) {{.*}} : memref<?xi8>
// CHECK:         %own_1 = memref.view %own[%{{.*}}][%n] : memref<?xi8> to memref<?x4xf32>
// CHECK:         %[[Y:.*]], %[[ROWS:.*]] = scf.while (%s = %own, %{{.*}} = %{{.*}}) : (memref<?xi8>, index) -> (memref<?xi8>, index) {
// CHECK:         ^bb0(%[[OLD:.*]]: memref<?xi8>, %{{.*}}: index):
// CHECK:           %[[START:.*]] = arith.muli %c16{{.*}} : index
// CHECK:           %[[FITS:.*]] = arith.cmpi sle
// CHECK-NEXT:      %[[LARGE:.*]] = scf.if %[[FITS]] -> (memref<?xi8>) {
// CHECK-NEXT:        scf.yield %[[OLD]] : memref<?xi8>
// CHECK-NEXT:      } else {
// CHECK:             %[[NEW:.*]] = memref.alloc(
// CHECK:             memref.copy
// CHECK-NEXT:        memref.dealloc %[[OLD]] : memref<?xi8>
// CHECK-NEXT:        scf.yield %[[NEW]] : memref<?xi8>
// CHECK:           %[[T:.*]] = memref.view %[[LARGE]][%{{.*}}][%{{.*}}] {relax.part = 0
// CHECK-NEXT:      %[[END:.*]] = memref.view %[[LARGE]][%[[START]]][] {relax.part = 1
// CHECK:           func.call @last(%{{.*}}, %[[T]], %[[END]])
// CHECK-NOT:       memref.copy
// CHECK:           scf.yield %[[LARGE]], %{{.*}} : memref<?xi8>, index
// CHECK:         %y = memref.view %[[Y]][%{{.*}}][%[[ROWS]]] : memref<?xi8> to memref<?x4xf32>
// CHECK:         memref.dealloc %[[Y]] : memref<?xi8>
func.func @grows(%n: index {relax.symbol = "n"}, %x: memref<?x4xf32> {relax.dims = ["n", "4"]}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %own = memref.alloc(%n) : memref<?x4xf32>
  memref.copy %x, %own : memref<?x4xf32> to memref<?x4xf32>
  %y = scf.while (%s = %own) : (memref<?x4xf32>) -> memref<?x4xf32> {
    %c = func.call @more() : () -> i1
    scf.condition(%c) %s : memref<?x4xf32>
  } do {
  ^bb0(%t: memref<?x4xf32>):
    %m = memref.dim %t, %c0 : memref<?x4xf32>
    %a = memref.alloc() : memref<1x4xf32>
    func.call @last(%m, %t, %a) : (index, memref<?x4xf32>, memref<1x4xf32>) -> ()
    %sum = arith.addi %m, %c1 : index
    %next = memref.alloc(%sum) : memref<?x4xf32>
    func.call @concat(%m, %t, %a, %next) : (index, memref<?x4xf32>, memref<1x4xf32>, memref<?x4xf32>) -> ()
    memref.dealloc %a : memref<1x4xf32>
    memref.dealloc %t : memref<?x4xf32>
    scf.yield %next : memref<?x4xf32>
  }
  %long = memref.dim %y, %c0 : memref<?x4xf32>
  %wanted = arith.addi %n, %c7 : index
  %ok = arith.cmpi eq, %long, %wanted : index
  cf.assert %ok, "too short"
  memref.dealloc %y : memref<?x4xf32>
  func.return
}

// Who looks at the old state after it has grown keeps it: the next one is written elsewhere.
// CHECK-LABEL: func.func @looked_at(
// CHECK-NOT:     memref<?xi8>
// CHECK:         func.call @concat(
func.func @looked_at(%n: index {relax.symbol = "n"}, %x: memref<?x4xf32> {relax.dims = ["n", "4"]}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %own = memref.alloc(%n) : memref<?x4xf32>
  memref.copy %x, %own : memref<?x4xf32> to memref<?x4xf32>
  %y = scf.while (%s = %own) : (memref<?x4xf32>) -> memref<?x4xf32> {
    %c = func.call @more() : () -> i1
    scf.condition(%c) %s : memref<?x4xf32>
  } do {
  ^bb0(%t: memref<?x4xf32>):
    %m = memref.dim %t, %c0 : memref<?x4xf32>
    %a = memref.alloc() : memref<1x4xf32>
    func.call @last(%m, %t, %a) : (index, memref<?x4xf32>, memref<1x4xf32>) -> ()
    %sum = arith.addi %m, %c1 : index
    %next = memref.alloc(%sum) : memref<?x4xf32>
    func.call @concat(%m, %t, %a, %next) : (index, memref<?x4xf32>, memref<1x4xf32>, memref<?x4xf32>) -> ()
    func.call @last(%m, %t, %a) : (index, memref<?x4xf32>, memref<1x4xf32>) -> ()
    memref.dealloc %a : memref<1x4xf32>
    memref.dealloc %t : memref<?x4xf32>
    scf.yield %next : memref<?x4xf32>
  }
  memref.dealloc %y : memref<?x4xf32>
  func.return
}

func.func private @made() -> memref<1x4xf32>

// What another function has made is copied to bytes of the loop's own.
// CHECK-LABEL: func.func @handed_over(
// CHECK:         %made = func.call @made() : () -> memref<1x4xf32>
// CHECK:         %[[BYTES:.*]] = memref.alloc(%{{.*}}) {{.*}} : memref<?xi8>
// CHECK:         %[[FIRST:.*]] = memref.view %[[BYTES]]
// CHECK:         memref.copy %first, %[[FIRST]]
// CHECK-NEXT:    memref.dealloc %first
// CHECK:         scf.while (%s = %[[BYTES]], {{.*}} : (memref<?xi8>, index) -> (memref<?xi8>, index) {
// CHECK-NOT:       func.call @concat
// CHECK:           scf.yield %{{.*}}, %{{.*}} : memref<?xi8>, index
func.func @handed_over() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %made = func.call @made() : () -> memref<1x4xf32>
  %first = memref.cast %made : memref<1x4xf32> to memref<?x4xf32>
  %y = scf.while (%s = %first) : (memref<?x4xf32>) -> memref<?x4xf32> {
    %c = func.call @more() : () -> i1
    scf.condition(%c) %s : memref<?x4xf32>
  } do {
  ^bb0(%t: memref<?x4xf32>):
    %m = memref.dim %t, %c0 : memref<?x4xf32>
    %a = memref.alloc() : memref<1x4xf32>
    func.call @last(%m, %t, %a) : (index, memref<?x4xf32>, memref<1x4xf32>) -> ()
    %sum = arith.addi %m, %c1 : index
    %next = memref.alloc(%sum) : memref<?x4xf32>
    func.call @concat(%m, %t, %a, %next) : (index, memref<?x4xf32>, memref<1x4xf32>, memref<?x4xf32>) -> ()
    memref.dealloc %a : memref<1x4xf32>
    memref.dealloc %t : memref<?x4xf32>
    scf.yield %next : memref<?x4xf32>
  }
  memref.dealloc %y : memref<?x4xf32>
  func.return
}
