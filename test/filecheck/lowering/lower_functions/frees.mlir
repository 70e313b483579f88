// RUN: relax-opt %s -p relax-legalize,relax-bufferize,relax-lower-functions | filecheck %s

// What one op allocates is freed in one order, last result first, whatever the addresses of the values are.

relax.func private @five(%x: !relax.tensor<[n], f32>) -> tuple<!relax.tensor<[n], f32>, !relax.tensor<[n], f32>, !relax.tensor<[n], f32>, !relax.tensor<[n], f32>, !relax.tensor<[n], f32>> {
  %t = relax.tuple %x, %x, %x, %x, %x : (!relax.tensor<[n], f32>, !relax.tensor<[n], f32>, !relax.tensor<[n], f32>, !relax.tensor<[n], f32>, !relax.tensor<[n], f32>) -> tuple<!relax.tensor<[n], f32>, !relax.tensor<[n], f32>, !relax.tensor<[n], f32>, !relax.tensor<[n], f32>, !relax.tensor<[n], f32>>
  relax.return %t : tuple<!relax.tensor<[n], f32>, !relax.tensor<[n], f32>, !relax.tensor<[n], f32>, !relax.tensor<[n], f32>, !relax.tensor<[n], f32>>
}

// CHECK-LABEL: func.func @main
// CHECK-NEXT:  %t, %t_1, %t_2, %t_3, %t_4 = func.call @five
// CHECK-NEXT:  memref.dealloc %t_4
// CHECK-NEXT:  memref.dealloc %t_3
// CHECK-NEXT:  memref.dealloc %t_2
// CHECK-NEXT:  memref.dealloc %t_1
// CHECK-NEXT:  func.return %t
relax.func @main(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  %t = relax.call @five(%x) : (!relax.tensor<[n], f32>) -> tuple<!relax.tensor<[n], f32>, !relax.tensor<[n], f32>, !relax.tensor<[n], f32>, !relax.tensor<[n], f32>, !relax.tensor<[n], f32>>
  %y = relax.tuple_get_item %t {index = 0 : i64} : (tuple<!relax.tensor<[n], f32>, !relax.tensor<[n], f32>, !relax.tensor<[n], f32>, !relax.tensor<[n], f32>, !relax.tensor<[n], f32>>) -> !relax.tensor<[n], f32>
  relax.return %y : !relax.tensor<[n], f32>
}
