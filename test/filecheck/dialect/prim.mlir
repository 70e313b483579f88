// RUN: relax-opt %s | relax-opt | filecheck %s
// RUN: relax-opt %s --print-op-generic | relax-opt | filecheck %s
// RUN: relax-opt %s -p relax-to-loops | filecheck %s --check-prefix=LOOPS

// A number whose value is a symbolic expression defines the variable that it is, as a size does.
// CHECK-LABEL: relax.func private @callee(%k: !relax.prim<k>, %x: !relax.tensor<[?], f32>) -> !relax.tensor<[k], f32> {
relax.func private @callee(%k: !relax.prim<k>, %x: !relax.tensor<[?], f32>) -> !relax.tensor<[k], f32> {
  %0 = relax.match_cast %x : !relax.tensor<[?], f32> -> !relax.tensor<[k], f32>
  relax.return %0 : !relax.tensor<[k], f32>
}

// CHECK-LABEL: relax.func @main(%n: !relax.prim<n>, %m: !relax.prim<2 * n - 1>, %v: i64, %x: !relax.tensor<[n], f32>)
relax.func @main(%n: !relax.prim<n>, %m: !relax.prim<2 * n - 1>, %v: i64, %x: !relax.tensor<[n], f32>) -> tuple<i64, !relax.tensor<[?], f32>> {
  // CHECK-NEXT: %size = relax.prim_value [n]{{$}}
  // CHECK-NEXT: %0 = relax.call @callee(%size, %x) : (!relax.prim<n>, !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  %size = relax.prim_value [n]
  %0 = relax.call @callee(%size, %x) : (!relax.prim<n>, !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  // What a plain number says of the sizes is not known, until it is matched.
  // CHECK-NEXT: %1 = relax.call @callee(%v, %x) : (i64, !relax.tensor<[n], f32>) -> !relax.tensor<[?], f32>
  // CHECK-NEXT: %k = relax.match_cast %v : i64 -> !relax.prim<j>
  // CHECK-NEXT: %2 = relax.call @callee(%k, %1) : (!relax.prim<j>, !relax.tensor<[?], f32>) -> !relax.tensor<[j], f32>
  %1 = relax.call @callee(%v, %x) : (i64, !relax.tensor<[n], f32>) -> !relax.tensor<[?], f32>
  %k = relax.match_cast %v : i64 -> !relax.prim<j>
  %2 = relax.call @callee(%k, %1) : (!relax.prim<j>, !relax.tensor<[?], f32>) -> !relax.tensor<[j], f32>
  // CHECK-NEXT: %3 = relax.tuple %m, %2 : (!relax.prim<2 * n - 1>, !relax.tensor<[j], f32>) -> tuple<i64, !relax.tensor<[?], f32>>
  %3 = relax.tuple %m, %2 : (!relax.prim<2 * n - 1>, !relax.tensor<[j], f32>) -> tuple<i64, !relax.tensor<[?], f32>>
  relax.return %3 : tuple<i64, !relax.tensor<[?], f32>>
}

// LOOPS-LABEL: func.func private @callee(%k: index {relax.symbol = "k"}, %k_1: i64 {relax.value = "k", relax.name = "k"}
// LOOPS-LABEL: func.func @main(%n: index {relax.symbol = "n"}, %n_1: i64 {relax.value = "n", relax.name = "n"}, %m: i64 {relax.value = "2 * n - 1", relax.name = "m"}, %v: i64 {relax.name = "v"}
// LOOPS-SAME:    -> (i64, memref<?xf32> {relax.dims = ["?"]}) attributes {relax.entry} {
