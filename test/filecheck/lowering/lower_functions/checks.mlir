// RUN: relax-opt %s -p relax-legalize,relax-bufferize,relax-lower-functions | filecheck %s

// match_cast reads what it defines and asserts the rest, before what depends on it is allocated.

relax.func @main(%x: !relax.tensor<[?, ?], f32>, %y: !relax.tensor<[n], f32>) -> !relax.tensor<[?], f32> {
  %0 = relax.match_cast %x : !relax.tensor<[?, ?], f32> -> !relax.tensor<[m, n], f32>
  %1 = relax.flatten %0 : (!relax.tensor<[m, n], f32>) -> !relax.tensor<[m * n], f32>
  %2 = relax.match_cast %1 : !relax.tensor<[m * n], f32> -> !relax.tensor<[2 * n], f32>
  relax.return %2 : !relax.tensor<[2 * n], f32>
}

// CHECK:      func.func @main(%n: index {relax.symbol = "n"}, %x: memref<?x?xf32> {relax.dims = ["?", "?"], relax.name = "x"}, %y: memref<?xf32> {relax.dims = ["n"], relax.name = "y"}) -> (memref<?xf32> {relax.dims = ["?"]})
// CHECK:        %m = memref.dim %x, %c0 : memref<?x?xf32>
// CHECK:        %[[D:.*]] = memref.dim %x, %c1 : memref<?x?xf32>
// CHECK-NEXT:   %[[OK:.*]] = arith.cmpi eq, %[[D]], %n : index
// CHECK-NEXT:   cf.assert %[[OK]], "@main: relax.match_cast: expected size n = {%1} in dimension 1, found {%0}" {relax.values}
// CHECK:        %[[LIMIT:.*]] = arith.divsi %c281474976710656, %{{.*}} : index
// CHECK-NEXT:   %[[ROOM:.*]] = arith.cmpi sle, %n, %[[LIMIT]] : index
// CHECK-NEXT:   cf.assert %[[ROOM]], "@main: relax.call_tir: expected sizes of at most 281474976710656, found a product that is larger" {relax.values}
// CHECK-NEXT:   %[[MN:.*]] = arith.muli %m, %n : index
// CHECK-NEXT:   %[[F:.*]] = memref.alloc(%[[MN]]) {alignment = 64 : i64} : memref<?xf32>
// CHECK-NEXT:   func.call @flatten(%m, %n, %x, %[[F]])
// CHECK:        %[[TWO:.*]] = arith.muli %c2, %n : index
// CHECK-NEXT:   %[[OK2:.*]] = arith.cmpi eq, %{{.*}}, %[[TWO]] : index
// CHECK-NEXT:   cf.assert %[[OK2]], "@main: relax.match_cast: expected size 2 * n = {%1} in dimension 0, found {%0}" {relax.values}
// CHECK-NEXT:   func.return %[[F]] : memref<?xf32>
