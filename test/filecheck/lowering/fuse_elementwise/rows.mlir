// RUN: relax-opt %s -p relax-legalize,relax-fuse-elementwise | filecheck %s

// A row at one place is an operand of what reads its elements; the columns at one place lie apart and are not.

relax.func @row(%x: !relax.tensor<[n, m], f32>, %y: !relax.tensor<[m], f32>, %i: !relax.tensor<[], i64>) -> !relax.tensor<[m], f32> {
  %0 = relax.take %x, %i {axis = 0 : i64} : (!relax.tensor<[n, m], f32>, !relax.tensor<[], i64>) -> !relax.tensor<[m], f32>
  %1 = relax.tanh %0 : (!relax.tensor<[m], f32>) -> !relax.tensor<[m], f32>
  %2 = relax.add %1, %y : (!relax.tensor<[m], f32>, !relax.tensor<[m], f32>) -> !relax.tensor<[m], f32>
  relax.return %2 : !relax.tensor<[m], f32>
}

relax.func @column(%x: !relax.tensor<[4, 5], f32>, %i: !relax.tensor<[], i64>) -> !relax.tensor<[4], f32> {
  %0 = relax.take %x, %i {axis = 1 : i64} : (!relax.tensor<[4, 5], f32>, !relax.tensor<[], i64>) -> !relax.tensor<[4], f32>
  relax.return %0 : !relax.tensor<[4], f32>
}

// CHECK:      func.func private @take_tanh_add(
// CHECK-NOT:    linalg.index
// CHECK:        cf.assert
// CHECK:        %[[ROW:.*]] = tensor.extract_slice %x[%{{.*}}, 0] [1, %{{.*}}] [1, 1] : tensor<?x?xf32> to tensor<?xf32>
// CHECK:        linalg.generic {{.*}} ins(%[[ROW]], %y : tensor<?xf32>, tensor<?xf32>)
// CHECK-NOT:    linalg.index
// CHECK:      func.func private @take{{(_1)?}}(
// CHECK-NOT:    tensor.extract_slice
// CHECK:        tensor.extract %x[
