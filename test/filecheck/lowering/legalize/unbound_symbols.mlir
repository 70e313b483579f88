// RUN: relax-opt %s -p relax-legalize | filecheck %s

// A symbol that stands bare in no operand is passed in brackets, under the caller's name for it.

relax.func @f(%x: !relax.tensor<[n, 2 * (m floordiv 2)], f32>, %s: !relax.shape<[m]>) -> !relax.tensor<[n, 2 * (m floordiv 2)], f32> {
  %y = relax.exp %x : (!relax.tensor<[n, 2 * (m floordiv 2)], f32>) -> !relax.tensor<[n, 2 * (m floordiv 2)], f32>
  relax.return %y : !relax.tensor<[n, 2 * (m floordiv 2)], f32>
}

relax.func @g(%x: !relax.tensor<[a, 2 * (b floordiv 2)], f32>, %s: !relax.shape<[b]>) -> !relax.tensor<[a, 2 * (b floordiv 2)], f32> {
  %y = relax.exp %x : (!relax.tensor<[a, 2 * (b floordiv 2)], f32>) -> !relax.tensor<[a, 2 * (b floordiv 2)], f32>
  relax.return %y : !relax.tensor<[a, 2 * (b floordiv 2)], f32>
}

// CHECK: relax.call_tir @exp(%x)[m] : (!relax.tensor<[n, 2 * (m floordiv 2)], f32>) -> !relax.tensor<[n, 2 * (m floordiv 2)], f32>
// CHECK: relax.call_tir @exp(%x)[b] : (!relax.tensor<[a, 2 * (b floordiv 2)], f32>) -> !relax.tensor<[a, 2 * (b floordiv 2)], f32>
// CHECK: func.func private @exp(%x: tensor<?x?xf32> {relax.dims = ["n", "2 * (m floordiv 2)"]}, %m: index {relax.symbol = "m"})
