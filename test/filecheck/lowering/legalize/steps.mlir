// RUN: relax-opt %s -p relax-legalize | filecheck %s

// Two operators share the prim funcs of their steps; the sizes that are computed have fresh names.

relax.func @f(%x: !relax.tensor<[n, 4], f32>, %y: !relax.tensor<[nonzero, 4], f32>) -> !relax.tensor<[2, ?], i64> {
  %p = relax.nonzero %x : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[2, ?], i64>
  %q = relax.nonzero %y : (!relax.tensor<[nonzero, 4], f32>) -> !relax.tensor<*>
  relax.return %p : !relax.tensor<[2, ?], i64>
}

// CHECK-LABEL: relax.func @f(
// CHECK-NEXT:    %0 = relax.call_tir @nonzero_count(%x) : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[1], i64>{{$}}
// CHECK-NEXT:    %sizes = relax.tensor_to_shape %0 : (!relax.tensor<[1], i64>) -> !relax.shape<[?]>{{$}}
// CHECK-NEXT:    %sizes_1 = relax.match_shape %sizes [nonzero_1] : (!relax.shape<[?]>) -> !relax.shape<[nonzero_1]>{{$}}
// CHECK-NEXT:    %p = relax.call_tir @nonzero_places(%x)[nonzero_1] : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[2, ?], i64>{{$}}
// CHECK-NEXT:    %1 = relax.call_tir @nonzero_count(%y) : (!relax.tensor<[nonzero, 4], f32>) -> !relax.tensor<[1], i64>{{$}}
// CHECK-NEXT:    %sizes_2 = relax.tensor_to_shape %1 : (!relax.tensor<[1], i64>) -> !relax.shape<[?]>{{$}}
// CHECK-NEXT:    %sizes_3 = relax.match_shape %sizes_2 [nonzero_2] : (!relax.shape<[?]>) -> !relax.shape<[nonzero_2]>{{$}}
// CHECK-NEXT:    %q = relax.call_tir @nonzero_places(%y)[nonzero_2] : (!relax.tensor<[nonzero, 4], f32>) -> !relax.tensor<*>{{$}}
// CHECK-NEXT:    relax.return %p : !relax.tensor<[2, ?], i64>{{$}}

// CHECK:     func.func private @nonzero_count(%x: tensor<?x4xf32> {relax.dims = ["n", "4"]}) -> (tensor<1xi64> {relax.dims = ["1"]}) {
// CHECK:     func.func private @nonzero_places(%x: tensor<?x4xf32> {relax.dims = ["n", "4"]}, %nonzero: index {relax.symbol = "nonzero_1"}) -> (tensor<2x?xi64> {relax.dims = ["2", "nonzero_1"]}) {
// CHECK-NOT: func.func
