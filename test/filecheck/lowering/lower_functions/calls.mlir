// RUN: relax-opt %s -p relax-legalize,relax-bufferize,relax-lower-functions | filecheck %s

// A call passes the sizes that the callee names first, and checks those that are not proved.

relax.func private @square(%x: !relax.tensor<[a, a], f32>, %s: !relax.shape<[b]>) -> tuple<!relax.tensor<[a, a], f32>, !relax.tensor<[b], f32>> {
  %0 = relax.exp %x : (!relax.tensor<[a, a], f32>) -> !relax.tensor<[a, a], f32>
  %c = relax.constant dense<1.0> : tensor<1xf32>
  %1 = relax.broadcast_to %c, %s : (!relax.tensor<[1], f32>, !relax.shape<[b]>) -> !relax.tensor<[b], f32>
  %2 = relax.tuple %0, %1 : (!relax.tensor<[a, a], f32>, !relax.tensor<[b], f32>) -> tuple<!relax.tensor<[a, a], f32>, !relax.tensor<[b], f32>>
  relax.return %2 : tuple<!relax.tensor<[a, a], f32>, !relax.tensor<[b], f32>>
}
relax.func @proved(%x: !relax.tensor<[n, n], f32>) -> !relax.tensor<[2 * n], f32> {
  %s = relax.shape [2 * n]
  %0 = relax.call @square(%x, %s) : (!relax.tensor<[n, n], f32>, !relax.shape<[2 * n]>) -> tuple<!relax.tensor<[n, n], f32>, !relax.tensor<[2 * n], f32>>
  %1 = relax.tuple_get_item %0 {index = 1 : i64} : (tuple<!relax.tensor<[n, n], f32>, !relax.tensor<[2 * n], f32>>) -> !relax.tensor<[2 * n], f32>
  relax.return %1 : !relax.tensor<[2 * n], f32>
}
relax.func @unproved(%x: !relax.tensor<[n, m], f32>) -> !relax.tensor<[n, n], f32> {
  %s = relax.shape [m]
  %0 = relax.call @square(%x, %s) : (!relax.tensor<[n, m], f32>, !relax.shape<[m]>) -> tuple<!relax.tensor<[n, n], f32>, !relax.tensor<[m], f32>>
  %1 = relax.tuple_get_item %0 {index = 0 : i64} : (tuple<!relax.tensor<[n, n], f32>, !relax.tensor<[m], f32>>) -> !relax.tensor<[n, n], f32>
  relax.return %1 : !relax.tensor<[n, n], f32>
}

// CHECK-LABEL: func.func private @square(%a: index {relax.symbol = "a"}, %b: index {relax.symbol = "b"}, %x: memref<?x?xf32> {relax.dims = ["a", "a"], relax.name = "x"}) -> (memref<?x?xf32> {relax.dims = ["a", "a"]}, memref<?xf32> {relax.dims = ["b"]}) {
// CHECK:         func.return %0, %1 : memref<?x?xf32>, memref<?xf32>
// CHECK-LABEL: func.func @proved(
// CHECK-NEXT:    %c2 = arith.constant 2 : index
// CHECK-NEXT:    %b = arith.muli %c2, %n : index
// CHECK-NEXT:    %c281474976710656 = arith.constant 281474976710656 : index
// CHECK-NEXT:    %0 = arith.cmpi sle, %b, %c281474976710656 : index
// CHECK-NEXT:    cf.assert %0, "@square: argument 's': expected sizes of at most 281474976710656, found {%0} in dimension 0" {relax.values}
// CHECK-NEXT:    %1, %2 = func.call @square(%n, %b, %x) : (index, index, memref<?x?xf32>) -> (memref<?x?xf32>, memref<?xf32>)
// CHECK-NEXT:    memref.dealloc %1 : memref<?x?xf32>
// CHECK-NEXT:    func.return %2 : memref<?xf32>
// CHECK-LABEL: func.func @unproved(
// CHECK-NEXT:    %0 = arith.cmpi eq, %m, %n : index
// CHECK-NEXT:    cf.assert %0, "@square: argument 'x': expected size a = {%1} in dimension 1, found {%0}" {relax.values}
// CHECK-NEXT:    %1, %2 = func.call @square(%n, %m, %x)
// CHECK-NEXT:    memref.dealloc %2 : memref<?xf32>
// CHECK-NEXT:    func.return %1 : memref<?x?xf32>
