// RUN: relax-opt %s -p relax-convert-scf-to-relax,relax-lower-functions | filecheck %s

// Memory is freed after its last use, in a loop in every turn; indices are checked.

relax.func @memory(%x: !relax.tensor<[n], f32>, %size: index, %k: index) -> f32 {
  %m = memref.alloc(%size) : memref<?xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  memref.store %zero, %m[%c0] : memref<?xf32>
  %t = relax.to_builtin %x : (!relax.tensor<[n], f32>) -> tensor<?xf32>
  scf.for %i = %c0 to %k step %c1 {
    %own = memref.alloc() : memref<1xf32>
    %a = tensor.extract %t[%i] : tensor<?xf32>
    %b = memref.load %m[%c0] : memref<?xf32>
    %s = arith.addf %a, %b : f32
    memref.store %s, %own[%c0] : memref<1xf32>
    %d = memref.load %own[%c0] : memref<1xf32>
    memref.store %d, %m[%c0] : memref<?xf32>
  }
  %r = memref.load %m[%c0] : memref<?xf32>
  memref.dealloc %m : memref<?xf32>
  relax.return %r : f32
}

// CHECK:      func.func @memory(%n: index {relax.symbol = "n"}, %x: memref<?xf32> {relax.dims = ["n"], relax.name = "x"}, %size: index {relax.name = "size"}, %k: index {relax.name = "k"}) -> (f32) attributes {relax.entry} {
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: %0 = arith.cmpi sge, %size, %c0 : index
// CHECK-NEXT: cf.assert %0, "@memory: memref.alloc (%m): expected sizes of at least 0, found {%0}" {relax.values}
// CHECK-NEXT: %m = memref.alloc(%size) {alignment = 64 : i64} : memref<?xf32>
// CHECK-NEXT: %c0_1 = arith.constant 0 : index
// CHECK-NEXT: %c1 = arith.constant 1 : index
// CHECK-NEXT: %zero = arith.constant 0.000000e+00 : f32
// CHECK-NEXT: %1 = memref.dim %m, %c0 : memref<?xf32>
// CHECK-NEXT: %2 = arith.cmpi sge, %c0_1, %c0 : index
// CHECK-NEXT: %3 = arith.cmpi slt, %c0_1, %1 : index
// CHECK-NEXT: %4 = arith.andi %2, %3 : i1
// CHECK-NEXT: cf.assert %4, "@memory: memref.store: expected an index from 0 on and below {%1}, found {%0}" {relax.values}
// CHECK-NEXT: memref.store %zero, %m[%c0_1] : memref<?xf32>
// CHECK-NEXT: %5 = scf.while (%i = %c0_1) : (index) -> index {
// CHECK-NEXT: %more = arith.cmpi slt, %i, %k : index
// CHECK-NEXT: scf.condition(%more) %i : index
// CHECK-NEXT: } do {
// CHECK-NEXT: ^bb0(%i_1: index):
// CHECK-NEXT: %own = memref.alloc() {alignment = 64 : i64} : memref<1xf32>
// CHECK-NEXT: %6 = arith.cmpi sge, %i_1, %c0 : index
// CHECK-NEXT: %7 = arith.cmpi slt, %i_1, %n : index
// CHECK-NEXT: %8 = arith.andi %6, %7 : i1
// CHECK-NEXT: cf.assert %8, "@memory: tensor.extract (%a): expected an index from 0 on and below {%1}, found {%0}" {relax.values}
// CHECK-NEXT: %9 = memref.load %x[%i_1] : memref<?xf32>
// CHECK-NEXT: %10 = memref.dim %m, %c0 : memref<?xf32>
// CHECK-NEXT: %11 = arith.cmpi sge, %c0_1, %c0 : index
// CHECK-NEXT: %12 = arith.cmpi slt, %c0_1, %10 : index
// CHECK-NEXT: %13 = arith.andi %11, %12 : i1
// CHECK-NEXT: cf.assert %13, "@memory: memref.load (%b): expected an index from 0 on and below {%1}, found {%0}" {relax.values}
// CHECK-NEXT: %14 = memref.load %m[%c0_1] : memref<?xf32>
// CHECK-NEXT: %s = arith.addf %9, %14 : f32
// CHECK-NEXT: %15 = memref.dim %own, %c0 : memref<1xf32>
// CHECK-NEXT: %16 = arith.cmpi sge, %c0_1, %c0 : index
// CHECK-NEXT: %17 = arith.cmpi slt, %c0_1, %15 : index
// CHECK-NEXT: %18 = arith.andi %16, %17 : i1
// CHECK-NEXT: cf.assert %18, "@memory: memref.store: expected an index from 0 on and below {%1}, found {%0}" {relax.values}
// CHECK-NEXT: memref.store %s, %own[%c0_1] : memref<1xf32>
// CHECK-NEXT: %19 = memref.dim %own, %c0 : memref<1xf32>
// CHECK-NEXT: %20 = arith.cmpi sge, %c0_1, %c0 : index
// CHECK-NEXT: %21 = arith.cmpi slt, %c0_1, %19 : index
// CHECK-NEXT: %22 = arith.andi %20, %21 : i1
// CHECK-NEXT: cf.assert %22, "@memory: memref.load (%d): expected an index from 0 on and below {%1}, found {%0}" {relax.values}
// CHECK-NEXT: %23 = memref.load %own[%c0_1] : memref<1xf32>
// CHECK-NEXT: memref.dealloc %own : memref<1xf32>
// CHECK-NEXT: %24 = memref.dim %m, %c0 : memref<?xf32>
// CHECK-NEXT: %25 = arith.cmpi sge, %c0_1, %c0 : index
// CHECK-NEXT: %26 = arith.cmpi slt, %c0_1, %24 : index
// CHECK-NEXT: %27 = arith.andi %25, %26 : i1
// CHECK-NEXT: cf.assert %27, "@memory: memref.store: expected an index from 0 on and below {%1}, found {%0}" {relax.values}
// CHECK-NEXT: memref.store %23, %m[%c0_1] : memref<?xf32>
// CHECK-NEXT: %i_2 = arith.addi %i_1, %c1 : index
// CHECK-NEXT: scf.yield %i_2 : index
// CHECK-NEXT: }
// CHECK-NEXT: %28 = memref.dim %m, %c0 : memref<?xf32>
// CHECK-NEXT: %29 = arith.cmpi sge, %c0_1, %c0 : index
// CHECK-NEXT: %30 = arith.cmpi slt, %c0_1, %28 : index
// CHECK-NEXT: %31 = arith.andi %29, %30 : i1
// CHECK-NEXT: cf.assert %31, "@memory: memref.load (%r): expected an index from 0 on and below {%1}, found {%0}" {relax.values}
// CHECK-NEXT: %32 = memref.load %m[%c0_1] : memref<?xf32>
// CHECK-NEXT: memref.dealloc %m : memref<?xf32>
// CHECK-NEXT: func.return %32 : f32
// CHECK-NEXT: }
// CHECK-NEXT: }
