// RUN: relax-opt %s -p relax-legalize,relax-rewrite-dataflow-reshape | filecheck %s
// RUN: relax-opt %s -p relax-to-loops | filecheck %s --check-prefix LOOPS

// Calls that only reshape become relax.reshape, whatever they are called; their prim funcs are gone.

// CHECK-LABEL: relax.func @heads(
// CHECK-NEXT:    %s = relax.shape [b, l, 6, 64]
// CHECK-NEXT:    %0 = relax.shape [b, l, 6, 64]
// CHECK-NEXT:    %h = relax.reshape %x, %0
// CHECK-NEXT:    %p = relax.call_tir @permute_dims(%h)
// CHECK-NEXT:    %1 = relax.shape [b, 1, 6, l, 64]
// CHECK-NEXT:    %e = relax.reshape %p, %1
// CHECK-NEXT:    %2 = relax.shape [b, 6, l, 64]
// CHECK-NEXT:    %q = relax.reshape %e, %2
// CHECK-NEXT:    %3 = relax.shape [384 * b * l]
// CHECK-NEXT:    %f = relax.reshape %q, %3
// LOOPS-LABEL: func.func @heads(
// LOOPS:         %h = memref.reinterpret_cast %x to offset: [0], sizes: [%b, %l, 6, 64], strides: [%0, 384, 64, 1] : memref<?x?x384xf32> to memref<?x?x6x64xf32>
// LOOPS:         func.call @permute_dims(%b, %l, %h, %p)
// LOOPS:         %f = memref.reinterpret_cast %q to offset: [0], sizes: [{{%.*}}], strides: [1] : memref<?x6x?x64xf32> to memref<?xf32>
// LOOPS-NEXT:    func.return %f
relax.func @heads(%x: !relax.tensor<[b, l, 384], f32>) -> !relax.tensor<[384 * b * l], f32> {
  %s = relax.shape [b, l, 6, 64]
  %h = relax.reshape %x, %s : (!relax.tensor<[b, l, 384], f32>, !relax.shape<[b, l, 6, 64]>) -> !relax.tensor<[b, l, 6, 64], f32>
  %p = relax.permute_dims %h {axes = array<i64: 0, 2, 1, 3>} : (!relax.tensor<[b, l, 6, 64], f32>) -> !relax.tensor<[b, 6, l, 64], f32>
  %e = relax.expand_dims %p {axis = array<i64: 1>} : (!relax.tensor<[b, 6, l, 64], f32>) -> !relax.tensor<[b, 1, 6, l, 64], f32>
  %q = relax.squeeze %e {axis = array<i64: 1>} : (!relax.tensor<[b, 1, 6, l, 64], f32>) -> !relax.tensor<[b, 6, l, 64], f32>
  %f = relax.flatten %q : (!relax.tensor<[b, 6, l, 64], f32>) -> !relax.tensor<[384 * b * l], f32>
  relax.return %f : !relax.tensor<[384 * b * l], f32>
}

// What is not proved to hold as many elements is checked where the program runs, and copied.

// CHECK-LABEL: relax.func @unproved(
// CHECK:         %y = relax.call_tir @{{.*}}(%x)[k]
relax.func @unproved(%x: !relax.tensor<[n], f32>, %s: !relax.shape<[k, 4]>) -> !relax.tensor<[k, 4], f32> {
  %y = relax.reshape %x, %s : (!relax.tensor<[n], f32>, !relax.shape<[k, 4]>) -> !relax.tensor<[k, 4], f32>
  relax.return %y : !relax.tensor<[k, 4], f32>
}

// Elements that change their order or their type are no reshape.

// CHECK-LABEL: relax.func @others(
// CHECK:         %y = relax.call_tir @permute_dims_1(%x)
// CHECK-NEXT:    %z = relax.call_tir @astype(%y)
relax.func @others(%x: !relax.tensor<[n, m], f32>) -> !relax.tensor<[m, n], i32> {
  %y = relax.permute_dims %x : (!relax.tensor<[n, m], f32>) -> !relax.tensor<[m, n], f32>
  %z = relax.astype %y {dtype = i32} : (!relax.tensor<[m, n], f32>) -> !relax.tensor<[m, n], i32>
  relax.return %z : !relax.tensor<[m, n], i32>
}

// A prim func from elsewhere that others may call stays.

// CHECK-LABEL: relax.func @written(
// CHECK:         relax.reshape %x
relax.func @written(%x: !relax.tensor<[n, 4], f32>) -> !relax.tensor<[4 * n], f32> {
  %y = relax.call_tir @collapse(%x) : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[4 * n], f32>
  relax.return %y : !relax.tensor<[4 * n], f32>
}

// CHECK-LABEL: func.func @collapse(
func.func @collapse(%x: tensor<?x4xf32> {relax.dims = ["n", "4"]}) -> (tensor<?xf32> {relax.dims = ["4 * n"]}) {
  %y = tensor.collapse_shape %x [[0, 1]] : tensor<?x4xf32> into tensor<?xf32>
  func.return %y : tensor<?xf32>
}

// CHECK-NOT: @expand_dims
// CHECK-NOT: @squeeze
// CHECK-NOT: @flatten
