// RUN: relax-opt %s -p relax-concat-in-place | filecheck %s

func.func private @make(%n: index {relax.symbol = "n"}, %out: memref<?xf32> {relax.dims = ["n"], relax.result})
func.func private @look(%n: index {relax.symbol = "n"}, %x: memref<?xf32> {relax.dims = ["n"]})
func.func private @concat(%n: index {relax.symbol = "n"}, %m: index {relax.symbol = "m"}, %x: memref<?xf32> {relax.dims = ["n"]}, %y: memref<?xf32> {relax.dims = ["m"]}, %out: memref<?xf32> {relax.dims = ["n + m"], relax.result}) attributes {relax.joins} {
  func.return
}

// Parts that are made here lie in the result from the beginning.
// CHECK-LABEL: func.func @parts(
// CHECK:         %[[START:.*]] = arith.muli %c4{{.*}}, %n : index
// CHECK:         %out = memref.alloc(%{{.*}}) {{.*}} : memref<?xi8>
// CHECK-NEXT:    %a = memref.view %out[%{{.*}}][%n] {relax.part = 0 : i64} : memref<?xi8> to memref<?xf32>
// CHECK-NEXT:    func.call @make(%n, %a)
// CHECK-NEXT:    %b = memref.view %out[%[[START]]][%m] {relax.part = 1 : i64}
// CHECK-NEXT:    func.call @make(%m, %b)
// CHECK-NOT:     @concat
// CHECK:         func.call @look(%sum, %{{.*}})
// CHECK-NEXT:    memref.dealloc %out : memref<?xi8>
func.func @parts(%n: index {relax.symbol = "n"}, %m: index {relax.symbol = "m"}) {
  %a = memref.alloc(%n) : memref<?xf32>
  func.call @make(%n, %a) : (index, memref<?xf32>) -> ()
  %b = memref.alloc(%m) : memref<?xf32>
  func.call @make(%m, %b) : (index, memref<?xf32>) -> ()
  %sum = arith.addi %n, %m : index
  %out = memref.alloc(%sum) : memref<?xf32>
  func.call @concat(%n, %m, %a, %b, %out) : (index, index, memref<?xf32>, memref<?xf32>, memref<?xf32>) -> ()
  memref.dealloc %a : memref<?xf32>
  memref.dealloc %b : memref<?xf32>
  func.call @look(%sum, %out) : (index, memref<?xf32>) -> ()
  memref.dealloc %out : memref<?xf32>
  func.return
}

// One that belongs to somebody else is copied.
// CHECK-LABEL: func.func @parameter(
// CHECK:         %a = memref.view %out[%{{.*}}][%n] {relax.part = 0 : i64}
// CHECK:         memref.copy %y, %{{.*}}
func.func @parameter(%n: index {relax.symbol = "n"}, %y: memref<?xf32> {relax.dims = ["n"]}) {
  %a = memref.alloc(%n) : memref<?xf32>
  func.call @make(%n, %a) : (index, memref<?xf32>) -> ()
  %sum = arith.addi %n, %n : index
  %out = memref.alloc(%sum) : memref<?xf32>
  func.call @concat(%n, %n, %a, %y, %out) : (index, index, memref<?xf32>, memref<?xf32>, memref<?xf32>) -> ()
  memref.dealloc %a : memref<?xf32>
  memref.dealloc %out : memref<?xf32>
  func.return
}

// What is given twice, or looked at afterwards, keeps its buffer.
// CHECK-LABEL: func.func @kept(
// CHECK-NOT:     memref<?xi8>
// CHECK:         func.call @concat(%n, %n, %a, %a,
// CHECK:         func.call @concat(%n, %n, %b, %y,
func.func @kept(%n: index {relax.symbol = "n"}, %y: memref<?xf32> {relax.dims = ["n"]}) {
  %a = memref.alloc(%n) : memref<?xf32>
  func.call @make(%n, %a) : (index, memref<?xf32>) -> ()
  %sum = arith.addi %n, %n : index
  %out = memref.alloc(%sum) : memref<?xf32>
  func.call @concat(%n, %n, %a, %a, %out) : (index, index, memref<?xf32>, memref<?xf32>, memref<?xf32>) -> ()
  memref.dealloc %a : memref<?xf32>
  memref.dealloc %out : memref<?xf32>
  %b = memref.alloc(%n) : memref<?xf32>
  func.call @make(%n, %b) : (index, memref<?xf32>) -> ()
  %other = memref.alloc(%sum) : memref<?xf32>
  func.call @concat(%n, %n, %b, %y, %other) : (index, index, memref<?xf32>, memref<?xf32>, memref<?xf32>) -> ()
  func.call @look(%n, %b) : (index, memref<?xf32>) -> ()
  memref.dealloc %b : memref<?xf32>
  memref.dealloc %other : memref<?xf32>
  func.return
}
