// RUN: relax-opt %s -p relax-compute-prim-value | filecheck %s

// Numbers and single variables stay; both values of 2 * n are given by one function.
relax.func @main(%x: !relax.tensor<[n], f32>) -> tuple<!relax.prim<2 * n>, !relax.prim<2 * n>, !relax.prim<n>, i64> {
  %v = relax.prim_value [2 * n]
  %w = relax.prim_value [2 * n]
  %n = relax.prim_value [n]
  %s = relax.symbolic_value [5]
  %t = relax.tuple %v, %w, %n, %s : (!relax.prim<2 * n>, !relax.prim<2 * n>, !relax.prim<n>, i64) -> tuple<!relax.prim<2 * n>, !relax.prim<2 * n>, !relax.prim<n>, i64>
  relax.return %t : tuple<!relax.prim<2 * n>, !relax.prim<2 * n>, !relax.prim<n>, i64>
}

// CHECK:      relax.func @main(%x: !relax.tensor<[n], f32>) -> tuple<!relax.prim<2 * n>, !relax.prim<2 * n>, !relax.prim<n>, i64> {
// CHECK-NEXT:   %0 = relax.prim_value [n]
// CHECK-NEXT:   %v = relax.call @compute_symbolic_expr(%0) : (!relax.prim<n>) -> !relax.prim<2 * n>
// CHECK-NEXT:   %1 = relax.prim_value [n]
// CHECK-NEXT:   %w = relax.call @compute_symbolic_expr(%1) : (!relax.prim<n>) -> !relax.prim<2 * n>
// CHECK-NEXT:   %n = relax.prim_value [n]
// CHECK-NEXT:   %s = relax.symbolic_value [5]
// CHECK-NEXT:   %t = relax.tuple %v, %w, %n, %s : (!relax.prim<2 * n>, !relax.prim<2 * n>, !relax.prim<n>, i64) -> tuple<!relax.prim<2 * n>, !relax.prim<2 * n>, !relax.prim<n>, i64>
// CHECK-NEXT:   relax.return %t : tuple<!relax.prim<2 * n>, !relax.prim<2 * n>, !relax.prim<n>, i64>
// CHECK-NEXT: }
// CHECK-NEXT: relax.func private @compute_symbolic_expr(%n: !relax.prim<n>) -> !relax.prim<2 * n> {
// CHECK-NEXT:   %value = relax.prim_value [2 * n]
// CHECK-NEXT:   relax.return %value : !relax.prim<2 * n>
// CHECK-NEXT: }
