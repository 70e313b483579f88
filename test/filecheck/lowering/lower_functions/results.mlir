// RUN: relax-opt %s -p relax-lower-functions | filecheck %s

// The caller owns every result: parameters, constants and what is returned twice are copied. Tuples
// are taken and given part by part; equal constants share one global.

relax.func @parameter(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  relax.return %x : !relax.tensor<[n], f32>
}
relax.func @tuples(%t: tuple<!relax.tensor<[n], f32>, tuple<!relax.tensor<[2], i8>>>, %k: i32) -> tuple<tuple<!relax.tensor<[2], i8>>, !relax.tensor<[n], f32>> {
  %a = relax.tuple_get_item %t {index = 0 : i64} : (tuple<!relax.tensor<[n], f32>, tuple<!relax.tensor<[2], i8>>>) -> !relax.tensor<[n], f32>
  %b = relax.tuple_get_item %t {index = 1 : i64} : (tuple<!relax.tensor<[n], f32>, tuple<!relax.tensor<[2], i8>>>) -> tuple<!relax.tensor<[2], i8>>
  %c = relax.tuple %b, %a : (tuple<!relax.tensor<[2], i8>>, !relax.tensor<[n], f32>) -> tuple<tuple<!relax.tensor<[2], i8>>, !relax.tensor<[n], f32>>
  relax.return %c : tuple<tuple<!relax.tensor<[2], i8>>, !relax.tensor<[n], f32>>
}
relax.func @constants() -> tuple<!relax.tensor<[2], f32>, !relax.tensor<[2], f32>, !relax.tensor<[2], f32>> {
  %w = relax.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %v = relax.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %u = relax.constant dense<[3.0, 4.0]> : tensor<2xf32>
  %t = relax.tuple %w, %v, %u : (!relax.tensor<[2], f32>, !relax.tensor<[2], f32>, !relax.tensor<[2], f32>) -> tuple<!relax.tensor<[2], f32>, !relax.tensor<[2], f32>, !relax.tensor<[2], f32>>
  relax.return %t : tuple<!relax.tensor<[2], f32>, !relax.tensor<[2], f32>, !relax.tensor<[2], f32>>
}
relax.func private @inner() -> tuple<> {
  %t = relax.tuple : () -> tuple<>
  relax.return %t : tuple<>
}
func.func @untouched(%x: i32) -> i32 {
  func.return %x : i32
}

// CHECK-LABEL: func.func @parameter(%n: index {relax.symbol = "n"}, %x: memref<?xf32> {relax.dims = ["n"], relax.name = "x"})
// CHECK-NEXT:    %0 = memref.alloc(%n) {alignment = 64 : i64} : memref<?xf32>
// CHECK-NEXT:    memref.copy %x, %0
// CHECK-NEXT:    func.return %0 : memref<?xf32>
// CHECK-LABEL: func.func @tuples(%n: index {relax.symbol = "n"}, %t: memref<?xf32> {relax.dims = ["n"], relax.name = "t"}, %t_1: memref<2xi8> {relax.dims = ["2"], relax.name = "t"}, %k: i32 {relax.name = "k"}) -> (memref<2xi8> {relax.dims = ["2"]}, memref<?xf32> {relax.dims = ["n"]}) attributes {relax.entry} {
// CHECK:         %0 = memref.alloc() {alignment = 64 : i64} : memref<2xi8>
// CHECK-NEXT:    memref.copy %t_1, %0
// CHECK-NEXT:    %1 = memref.alloc(%n) {alignment = 64 : i64} : memref<?xf32>
// CHECK-NEXT:    memref.copy %t, %1
// CHECK-NEXT:    func.return %0, %1
// CHECK-LABEL: func.func @constants() -> (
// CHECK-NEXT:    %w = memref.get_global @w : memref<2xf32>
// CHECK-NEXT:    %v = memref.get_global @w : memref<2xf32>
// CHECK-NEXT:    %u = memref.get_global @u : memref<2xf32>
// CHECK:         memref.copy %w, %0
// CHECK:         memref.copy %v, %1
// CHECK:         memref.copy %u, %2
// CHECK-NEXT:    func.return %0, %1, %2
// CHECK-LABEL: func.func private @inner() {
// CHECK-NEXT:    func.return
// CHECK-LABEL: func.func @untouched(%x: i32) -> i32 {
// CHECK:       memref.global "private" {{.*}}@w
// CHECK-NEXT:  memref.global "private" {{.*}}@u
// CHECK-NOT:   memref.global
