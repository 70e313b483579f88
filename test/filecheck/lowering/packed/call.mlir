// RUN: relax-opt %s -p relax-lower-functions | filecheck %s

// Functions from outside are declared, once for each signature, and called in the order of the program.

relax.func @main(%x: !relax.tensor<[n, 4], f32>, %y: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  %a = relax.call_packed "my.f"(%x) : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 2], f32>
  %b = relax.call_packed "my.f"(%a) : (!relax.tensor<[n, 2], f32>) -> !relax.tensor<[n, 2], f32>
  %c = relax.call_packed "my.f"(%y) : (!relax.tensor<[n], f32>) -> !relax.object
  %d = relax.call_dps_packed "g"(%b) : (!relax.tensor<[n, 2], f32>) -> !relax.tensor<[n], f32>
  relax.return %d : !relax.tensor<[n], f32>
}

// CHECK:       func.func @main(%n: index
// CHECK:         %a = func.call @packed_my_f(%{{.*}}) : (memref<?x?xf32>) -> memref<?x2xf32>
// CHECK-NEXT:    %c0 = arith.constant 0 : index
// CHECK-NEXT:    [[SIZE:%.*]] = memref.dim %a, %c0 : memref<?x2xf32>
// CHECK-NEXT:    [[FITS:%.*]] = arith.cmpi eq, [[SIZE]], %n : index
// CHECK-NEXT:    cf.assert [[FITS]], "@main: relax.call_packed \22my.f\22: result: expected size n = {%1} in dimension 0, found {%0}" {relax.values}
// CHECK:         %b = func.call @packed_my_f(%{{.*}}) : (memref<?x?xf32>) -> memref<?x2xf32>
// CHECK-NEXT:    memref.dealloc %a : memref<?x2xf32>
// CHECK:         cf.assert
// CHECK-NEXT:    func.call @packed_my_f_1(%y) : (memref<?xf32>) -> ()
// CHECK:         %d = memref.alloc(%n) {alignment = 64 : i64} : memref<?xf32>
// CHECK:         func.call @packed_g(%{{.*}}, %d) : (memref<?x?xf32>, memref<?xf32>) -> ()
// CHECK-NEXT:    memref.dealloc %b : memref<?x2xf32>
// CHECK-NEXT:    func.return %d : memref<?xf32>

// CHECK:       func.func private @packed_my_f(memref<?x?xf32>) -> memref<?x2xf32> attributes {relax.packed = "my.f"}
// CHECK-NEXT:  func.func private @packed_my_f_1(memref<?xf32>) -> () attributes {relax.packed = "my.f"}
// CHECK-NEXT:  func.func private @packed_g(memref<?x?xf32>, memref<?xf32>) -> () attributes {relax.packed = "g", relax.dps}
