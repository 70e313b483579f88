// RUN: relax-opt %s -p relax-convert-cf-to-scf | filecheck %s

// A loop that is left from two blocks is a loop over the number of the block that runs next.
// CHECK-LABEL: func.func @find
// CHECK:         scf.while
// CHECK:           arith.cmpi ne
// CHECK:         } do {
// CHECK:           memref.load %a
// CHECK-NOT:     cf.br
// CHECK-NOT:     cf.cond_br
// CHECK:         func.return
func.func @find(%a: memref<?xf32>, %v: f32, %n: index) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  cf.br ^head(%c0 : index)
^head(%i: index):
  %c = arith.cmpi slt, %i, %n : index
  cf.cond_br %c, ^body, ^none
^body:
  %x = memref.load %a[%i] : memref<?xf32>
  %e = arith.cmpf oeq, %x, %v : f32
  cf.cond_br %e, ^found, ^next
^next:
  %j = arith.addi %i, %c1 : index
  cf.br ^head(%j : index)
^found:
  return %i : index
^none:
  return %n : index
}
