// RUN: relax-opt %s -p relax-lower-functions | filecheck %s

// Prints and messages with values in them are declarations that each target has itself.

relax.func @main(%x: !relax.tensor<[n], f32>, %c: !relax.tensor<[], i1>) -> !relax.tensor<[n], f32> {
  relax.print %x {format = "x = {}"} : (!relax.tensor<[n], f32>) -> ()
  relax.assert_op %c {format = "no {{x}}"} : (!relax.tensor<[], i1>) -> ()
  relax.assert_op %c, %x {format = "not {}"} : (!relax.tensor<[], i1>, !relax.tensor<[n], f32>) -> ()
  relax.return %x : !relax.tensor<[n], f32>
}

// CHECK:       func.call @packed_relax_print(%x) : (memref<?xf32>) -> ()
// CHECK-NEXT:  [[C:%.*]] = memref.load %c[] : memref<i1>
// CHECK-NEXT:  cf.assert [[C]], "@main: relax.assert_op: no {x}"
// CHECK-NEXT:  [[C:%.*]] = memref.load %c[] : memref<i1>
// CHECK-NEXT:  [[TRUE:%.*]] = arith.constant true
// CHECK-NEXT:  [[NOT:%.*]] = arith.xori [[C]], [[TRUE]] : i1
// CHECK-NEXT:  scf.if [[NOT]] {
// CHECK-NEXT:    func.call @packed_relax_assert_op(%x) : (memref<?xf32>) -> ()
// CHECK-NEXT:  }

// CHECK:       @packed_relax_print(memref<?xf32>) -> () attributes {relax.packed = "relax.print", relax.format = "x = {}"}
// CHECK-NEXT:  @packed_relax_assert_op(memref<?xf32>) -> () attributes {relax.packed = "relax.assert_op", relax.format = "@main: relax.assert_op: not {}"}
