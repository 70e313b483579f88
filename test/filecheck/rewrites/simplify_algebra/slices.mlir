// RUN: relax-opt %s -p relax-simplify-algebra,relax-dce | filecheck %s
// RUN: relax-opt %s -p canonicalize,relax-dce | filecheck %s

// Queries and keys of one product: permuted whole by exporters, then taken apart.
relax.func @unbind(%x: !relax.tensor<[b, n, 2, 3, 4], f32>) -> tuple<!relax.tensor<[b, n, 3, 4], f32>, !relax.tensor<[b, 3, 4, n], f32>> {
  %gv, %gv_1 = relax.dataflow {
    %p = relax.permute_dims %x {axes = array<i64: 2, 0, 3, 1, 4>} : (!relax.tensor<[b, n, 2, 3, 4], f32>) -> !relax.tensor<[2, b, 3, n, 4], f32>
    %s = relax.strided_slice %p {axes = array<i64: 0>, begin = array<i64: 0>, end = array<i64: 1>} : (!relax.tensor<[2, b, 3, n, 4], f32>) -> !relax.tensor<[1, b, 3, n, 4], f32>
    %q = relax.squeeze %s {axis = array<i64: 0>} : (!relax.tensor<[1, b, 3, n, 4], f32>) -> !relax.tensor<[b, 3, n, 4], f32>
    %i = relax.constant dense<1> : tensor<i64>
    %k = relax.take %p, %i {axis = 0 : i64} : (!relax.tensor<[2, b, 3, n, 4], f32>, !relax.tensor<[], i64>) -> !relax.tensor<[b, 3, n, 4], f32>
    %0 = relax.permute_dims %q {axes = array<i64: 0, 2, 1, 3>} : (!relax.tensor<[b, 3, n, 4], f32>) -> !relax.tensor<[b, n, 3, 4], f32>
    %1 = relax.permute_dims %k {axes = array<i64: 0, 1, 3, 2>} : (!relax.tensor<[b, 3, n, 4], f32>) -> !relax.tensor<[b, 3, 4, n], f32>
    relax.output %0, %1 : !relax.tensor<[b, n, 3, 4], f32>, !relax.tensor<[b, 3, 4, n], f32>
  }
  %r = relax.tuple %gv, %gv_1 : (!relax.tensor<[b, n, 3, 4], f32>, !relax.tensor<[b, 3, 4, n], f32>) -> tuple<!relax.tensor<[b, n, 3, 4], f32>, !relax.tensor<[b, 3, 4, n], f32>>
  relax.return %r : tuple<!relax.tensor<[b, n, 3, 4], f32>, !relax.tensor<[b, 3, 4, n], f32>>
}
// CHECK-LABEL: @unbind(
// CHECK: %s = relax.strided_slice %x {axes = array<i64: 2>, begin = array<i64: 0>, end = array<i64: 1>}
// CHECK-NEXT: %q = relax.squeeze %s {axis = array<i64: 2>}
// CHECK-NEXT: %k = relax.strided_slice %x {axes = array<i64: 2>, begin = array<i64: 1>, end = array<i64: 2>}
// CHECK-NEXT: %k_1 = relax.squeeze %k {axis = array<i64: 2>}
// CHECK-NEXT: %lv = relax.permute_dims %k_1 {axes = array<i64: 0, 2, 3, 1>}
// CHECK-NEXT: relax.output %q, %lv
// The pieces of a split.
relax.func @pieces(%x: !relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 2], f32> {
  %gv = relax.dataflow {
    %p = relax.permute_dims %x : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[4, n], f32>
    %a, %b = relax.split %p {sections = 2 : i64, axis = 0 : i64} : (!relax.tensor<[4, n], f32>) -> (!relax.tensor<[2, n], f32>, !relax.tensor<[2, n], f32>)
    %0 = relax.permute_dims %b : (!relax.tensor<[2, n], f32>) -> !relax.tensor<[n, 2], f32>
    relax.output %0 : !relax.tensor<[n, 2], f32>
  }
  relax.return %gv : !relax.tensor<[n, 2], f32>
}
// CHECK-LABEL: @pieces(
// CHECK: %a, %a_1 = relax.split %x {sections = 2 : i64, axis = 1 : i64}
// CHECK-NEXT: relax.output %a_1
// A slice of all of an axis.
relax.func @whole(%x: !relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4], f32> {
  %gv = relax.dataflow {
    %z = relax.shape [0]
    %e = relax.shape [n]
    %0 = relax.strided_slice %x, %z, %e {axes = array<i64: 0>} : (!relax.tensor<[n, 4], f32>, !relax.shape<[0]>, !relax.shape<[n]>) -> !relax.tensor<[n, 4], f32>
    relax.output %0 : !relax.tensor<[n, 4], f32>
  }
  relax.return %gv : !relax.tensor<[n, 4], f32>
}
// CHECK-LABEL: @whole(
// CHECK: relax.output %x
// The permuted tensor is used whole, too; backwards is another tensor; an index may be outside.
relax.func @stays(%x: !relax.tensor<[n, 4], f32>) -> tuple<!relax.tensor<[4, n], f32>, !relax.tensor<[1, n], f32>, !relax.tensor<[n, 4], f32>, !relax.tensor<[4], f32>> {
  %gv, %gv_1, %gv_2, %gv_3 = relax.dataflow {
    %p = relax.permute_dims %x : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[4, n], f32>
    %0 = relax.strided_slice %p {axes = array<i64: 0>, begin = array<i64: 0>, end = array<i64: 1>} : (!relax.tensor<[4, n], f32>) -> !relax.tensor<[1, n], f32>
    %1 = relax.strided_slice %x {axes = array<i64: 1>, begin = array<i64: 3>, end = array<i64: -5>, strides = array<i64: -1>} : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4], f32>
    %i = relax.constant dense<1> : tensor<i64>
    %2 = relax.take %x, %i {axis = 0 : i64} : (!relax.tensor<[n, 4], f32>, !relax.tensor<[], i64>) -> !relax.tensor<[4], f32>
    relax.output %p, %0, %1, %2 : !relax.tensor<[4, n], f32>, !relax.tensor<[1, n], f32>, !relax.tensor<[n, 4], f32>, !relax.tensor<[4], f32>
  }
  %r = relax.tuple %gv, %gv_1, %gv_2, %gv_3 : (!relax.tensor<[4, n], f32>, !relax.tensor<[1, n], f32>, !relax.tensor<[n, 4], f32>, !relax.tensor<[4], f32>) -> tuple<!relax.tensor<[4, n], f32>, !relax.tensor<[1, n], f32>, !relax.tensor<[n, 4], f32>, !relax.tensor<[4], f32>>
  relax.return %r : tuple<!relax.tensor<[4, n], f32>, !relax.tensor<[1, n], f32>, !relax.tensor<[n, 4], f32>, !relax.tensor<[4], f32>>
}
// CHECK-LABEL: @stays(
// CHECK: %p = relax.permute_dims %x
// CHECK: %0 = relax.strided_slice %p {axes = array<i64: 0>, begin = array<i64: 0>, end = array<i64: 1>}
// CHECK: %1 = relax.strided_slice %x {axes = array<i64: 1>, begin = array<i64: 3>, end = array<i64: -5>, strides = array<i64: -1>}
// CHECK: %2 = relax.take %x, %i {axis = 0 : i64}
// CHECK: relax.output %p, %0, %1, %2
