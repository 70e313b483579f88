// RUN: relax-opt %s -p relax-lower-functions,relax-reuse-buffers | filecheck %s

// A result is written over its argument where the function owns it and the prim func reads each element
// before it writes it; a parameter is left as it is.

func.func private @double(%n: index {relax.symbol = "n"},
                          %A: memref<?xf32> {relax.dims = ["n"]},
                          %C: memref<?xf32> {relax.dims = ["n"], relax.result}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %a = memref.load %A[%i] : memref<?xf32>
    %d = arith.addf %a, %a : f32
    memref.store %d, %C[%i] : memref<?xf32>
  }
  func.return
}
relax.func @main(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  %y = relax.call_tir_inplace @double(%x) {inplace_indices = array<i64: 0>} : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  %z = relax.call_tir_inplace @double(%y) {inplace_indices = array<i64: 0>} : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  relax.return %z : !relax.tensor<[n], f32>
}

// CHECK:       func.func @main
// CHECK-NEXT:    %y = memref.alloc(%n) {alignment = 64 : i64} : memref<?xf32>
// CHECK-NEXT:    func.call @double(%n, %x, %y)
// CHECK-NEXT:    func.call @double_in_place(%n, %y)
// CHECK-NEXT:    func.return %y : memref<?xf32>
