// RUN: relax-opt %s -p relax-lower-functions | filecheck %s
// RUN: relax-opt %s -p relax-to-loops -t c | filecheck %s --check-prefix=C

// A tensor of unknown rank is its elements and its sizes, a vector each, until its rank is asked for.

relax.func private @pick(%c: !relax.tensor<[], i1>, %x: !relax.tensor<[n, m], f32>) -> !relax.tensor<*, f32> {
  %r = relax.if %c : (!relax.tensor<[], i1>) -> !relax.tensor<*, f32> {
    %k = relax.shape [n * m]
    %s = relax.reshape %x, %k : (!relax.tensor<[n, m], f32>, !relax.shape<[n * m]>) -> !relax.tensor<[n * m], f32>
    relax.yield %s : !relax.tensor<[n * m], f32>
  } else {
    relax.yield %x : !relax.tensor<[n, m], f32>
  }
  relax.return %r : !relax.tensor<*, f32>
}
relax.func @main(%c: !relax.tensor<[], i1>, %x: !relax.tensor<[n, m], f32>) -> !relax.tensor<*, f32> {
  %r = relax.call @pick(%c, %x) : (!relax.tensor<[], i1>, !relax.tensor<[n, m], f32>) -> !relax.tensor<*, f32>
  relax.return %r : !relax.tensor<*, f32>
}
relax.func @matched(%c: !relax.tensor<[], i1>, %x: !relax.tensor<[n, m], f32>) -> !relax.tensor<[?], f32> {
  %r = relax.call @pick(%c, %x) : (!relax.tensor<[], i1>, !relax.tensor<[n, m], f32>) -> !relax.tensor<*, f32>
  %y = relax.match_cast %r : !relax.tensor<*, f32> -> !relax.tensor<[k], f32>
  relax.return %y : !relax.tensor<[k], f32>
}

// CHECK-LABEL: func.func private @pick(
// CHECK-SAME:      -> (memref<?xf32> {relax.dims = ["?"], relax.unranked}, memref<?xi64> {relax.dims = ["?"]}) {
// CHECK:         %r, %r_1 = scf.if %{{.*}} -> (memref<?xf32>, memref<?xi64>) {
// CHECK:           memref.store %{{.*}}, %{{.*}}[%c0] : memref<1xi64>
// CHECK:           memref.copy
// CHECK-NEXT:      %[[SIZES:.*]] = memref.cast %{{.*}} : memref<1xi64> to memref<?xi64>
// CHECK-NEXT:      scf.yield %{{.*}}, %[[SIZES]] : memref<?xf32>, memref<?xi64>
// CHECK-NEXT:    } else {
// CHECK-NEXT:      %[[COUNT:.*]] = arith.muli %n, %m : index
// CHECK-NEXT:      memref.reinterpret_cast %x to offset: [0], sizes: [%[[COUNT]]], strides: [1] : memref<?x?xf32> to memref<?xf32>
// CHECK:           memref.store %{{.*}}, %{{.*}}[%c1_1] : memref<2xi64>
// CHECK:         func.return %r, %r_1

// CHECK-LABEL: func.func @main(
// CHECK:         %r, %r_1 = func.call @pick(
// CHECK-NEXT:    func.return %r, %r_1

// CHECK-LABEL: func.func @matched(
// CHECK:         %[[RANK:.*]] = memref.dim %r_1, %c0 : memref<?xi64>
// CHECK:         %[[IS_1:.*]] = arith.cmpi eq, %[[RANK]], %c1 : index
// CHECK-NEXT:    cf.assert %[[IS_1]], "@matched: relax.match_cast (%y): expected 1 dimensions, [k], found {%0}" {relax.values}
// CHECK-NEXT:    %[[K:.*]] = memref.load %r_1[%c0]
// CHECK:         %[[SIZE:.*]] = arith.index_cast %[[K]] : i64 to index
// CHECK-NEXT:    %{{.*}} = memref.reinterpret_cast %r to offset: [0], sizes: [%[[SIZE]]], strides: [1]

// The caller's tensor, if it gives one, is checked once the call knows the rank.

// C-LABEL: int model_main(const DLTensor *c, const DLTensor *x, DLTensor *out0)
// C:         if (out0->data != NULL) {
// C-NEXT:        if (check_tensor("@main: result", out0, kDLFloat, 32, "f32", out0->ndim, "[\077]") != 0)
// C:         if ({{.*}}&out0_data, &out0_d0, &out0_shape, &out0_rank) != 0)
// C-NEXT:        goto fail;
// C-NEXT:    attach(&live, out0_data);
// C-NEXT:    attach(&live, out0_shape);
// C-NEXT:    if (check_shape("@main: result", out0, (int)out0_rank, out0_shape) != 0)
// C-NEXT:        goto fail;
// C-NEXT:    deliver(out0, out0_data, out0_shape, kDLFloat, 32, (int)out0_rank);
