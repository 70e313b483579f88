// RUN: relax-opt %s -p relax-lower-functions | filecheck %s

// Tuples are passed flat, shapes as rows of i64, numbers as they are; the declaration says what they were.

relax.func @main(%x: !relax.tensor<[n], f32>, %i: i32) -> !relax.tensor<[n], f32> {
  %s = relax.shape [n, 3]
  %t = relax.tuple %x, %s : (!relax.tensor<[n], f32>, !relax.shape<[n, 3]>) -> tuple<!relax.tensor<[n], f32>, !relax.shape<[n, 3]>>
  %u = relax.call_packed "f"(%t, %i) : (tuple<!relax.tensor<[n], f32>, !relax.shape<[n, 3]>>, i32) -> !relax.object
  %k = relax.call_packed "g"() : () -> !relax.shape<[?]>
  %v = relax.call_packed "h"(%k) : (!relax.shape<[?]>) -> i64
  relax.return %x : !relax.tensor<[n], f32>
}

// CHECK:       [[ROW:%.*]] = memref.alloca() {alignment = 8 : i64} : memref<2xi64>
// CHECK:       memref.store %{{.*}}, [[ROW]][%c0] : memref<2xi64>
// CHECK:       memref.store %{{.*}}, [[ROW]][%c1] : memref<2xi64>
// CHECK-NEXT:  [[CAST:%.*]] = memref.cast [[ROW]] : memref<2xi64> to memref<?xi64>
// CHECK-NEXT:  func.call @packed_f(%x, [[CAST]], %i) : (memref<?xf32>, memref<?xi64>, i32) -> ()
// CHECK-NEXT:  %k = func.call @packed_g() : () -> memref<1xi64>
// CHECK-NEXT:  memref.load %k[%c0] : memref<1xi64>
// CHECK:       %v = func.call @packed_h(%{{.*}}) : (memref<?xi64>) -> memref<i64>

// CHECK:       @packed_f(memref<?xf32>, memref<?xi64>, i32) -> () attributes {relax.packed = "f", relax.args = [["tensor", "shape"], "scalar"]}
// CHECK-NEXT:  @packed_g() -> memref<1xi64> attributes {relax.packed = "g", relax.gives = "shape"}
// CHECK-NEXT:  @packed_h(memref<?xi64>) -> memref<i64> attributes {relax.packed = "h", relax.args = ["shape"], relax.gives = "scalar"}
