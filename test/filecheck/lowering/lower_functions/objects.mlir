// RUN: relax-opt %s -p relax-lower-functions | filecheck %s
// RUN: relax-opt %s -p relax-lower-functions | relax-opt | filecheck %s

// A function borrows the objects it is given and holds a reference to those that it gets: it hands each on
// once, or releases it.

relax.func @main(%c: !relax.tensor<[], i1>, %a: !relax.object) -> tuple<!relax.object, !relax.object> {
  %b = relax.call_packed "next"(%a) : (!relax.object) -> !relax.object
  %r = relax.if %c : (!relax.tensor<[], i1>) -> !relax.object {
    %v = relax.call_packed "next"(%b) : (!relax.object) -> !relax.object
    relax.yield %v : !relax.object
  } else {
    relax.yield %a : !relax.object
  }
  %t = relax.tuple %r, %r : (!relax.object, !relax.object) -> tuple<!relax.object, !relax.object>
  relax.return %t : tuple<!relax.object, !relax.object>
}

// CHECK:       func.func @main(%c: memref<i1> {relax.dims = [], relax.name = "c"}, %a: !relax.object {relax.name = "a"}) -> (!relax.object, !relax.object) attributes {relax.entry} {
// CHECK-NEXT:    %b = func.call @packed_next(%a) : (!relax.object) -> !relax.object
// CHECK-NEXT:    %0 = memref.load %c[] : memref<i1>
// CHECK-NEXT:    %r = scf.if %0 -> (!relax.object) {
// CHECK-NEXT:      %v = func.call @packed_next(%b) : (!relax.object) -> !relax.object
// CHECK-NEXT:      scf.yield %v : !relax.object
// CHECK-NEXT:    } else {
// CHECK-NEXT:      %a_1 = relax.retain %a
// CHECK-NEXT:      scf.yield %a_1 : !relax.object
// CHECK-NEXT:    }
// CHECK-NEXT:    relax.release %b
// CHECK-NEXT:    %r_1 = relax.retain %r
// CHECK-NEXT:    func.return %r, %r_1 : !relax.object, !relax.object
// CHECK-NEXT:  }
// CHECK-NEXT:  func.func private @packed_next(!relax.object) -> !relax.object attributes {relax.packed = "next", relax.args = ["object"], relax.gives = "object"}
