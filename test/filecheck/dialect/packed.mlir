// RUN: relax-opt %s | filecheck %s
// RUN: relax-opt %s --print-op-generic | relax-opt | filecheck %s

// Calls of functions from outside: literals among the arguments, several results, arguments that are written.

relax.func @f(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  // CHECK: %a = relax.call_packed "f"("text", %x, f32, 5 : i32, #relax.device<cuda, 1>, 2.500000e+00 : f64, true) : (!relax.tensor<[n], f32>) -> !relax.object
  %a = relax.call_packed "f"("text", %x, f32, 5 : i32, #relax.device<cuda, 1>, 2.5, true) : (!relax.tensor<[n], f32>) -> !relax.object
  // CHECK: %b = relax.call_pure_packed "f"(1 : i64) : () -> !relax.object
  %b = relax.call_pure_packed "f"(1) : () -> !relax.object
  // CHECK: %c, %d = relax.call_dps_packed "f"(%x, "to") : (!relax.tensor<[n], f32>) -> (!relax.tensor<[n], f32>, !relax.tensor<[2 * n], f32>)
  %c, %d = relax.call_dps_packed "f"(%x, "to") : (!relax.tensor<[n], f32>) -> (!relax.tensor<[n], f32>, !relax.tensor<[2 * n], f32>)
  // CHECK: %e = relax.call_dps_packed "f"(%x) : (!relax.tensor<[n], f32>) -> tuple<!relax.tensor<[n], f32>>
  %e = relax.call_dps_packed "f"(%x) : (!relax.tensor<[n], f32>) -> tuple<!relax.tensor<[n], f32>>
  // CHECK: %g, %h = relax.call_inplace_packed "f"(%a, %x) {inplace_indices = array<i64: 1, -1>} : (!relax.object, !relax.tensor<[n], f32>) -> (!relax.tensor<[n], f32>, !relax.object)
  %g, %h = relax.call_inplace_packed "f"(%a, %x) {inplace_indices = array<i64: 1, -1>} : (!relax.object, !relax.tensor<[n], f32>) -> (!relax.tensor<[n], f32>, !relax.object)
  relax.return %g : !relax.tensor<[n], f32>
}
