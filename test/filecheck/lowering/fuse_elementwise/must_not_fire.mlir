// RUN: relax-opt %s -p relax-legalize,relax-fuse-elementwise | filecheck %s

// What would have to be computed twice, is needed as a whole, or is not proved stays a call of its own.

// A value that is used outside of the group as well.
relax.func @second_user(%x: !relax.tensor<[n, m], f32>) -> tuple<!relax.tensor<[n, m], f32>, !relax.tensor<[n], f32>> {
  %y, %z = relax.dataflow {
    %0 = relax.exp %x : (!relax.tensor<[n, m], f32>) -> !relax.tensor<[n, m], f32>
    %1 = relax.relu %0 : (!relax.tensor<[n, m], f32>) -> !relax.tensor<[n, m], f32>
    %2 = relax.sum %0 {axis = array<i64: 1>} : (!relax.tensor<[n, m], f32>) -> !relax.tensor<[n], f32>
    relax.output %1, %2 : !relax.tensor<[n, m], f32>, !relax.tensor<[n], f32>
  }
  %t = relax.tuple %y, %z : (!relax.tensor<[n, m], f32>, !relax.tensor<[n], f32>) -> tuple<!relax.tensor<[n, m], f32>, !relax.tensor<[n], f32>>
  relax.return %t : tuple<!relax.tensor<[n, m], f32>, !relax.tensor<[n], f32>>
}

// A value that the block gives.
relax.func @output(%x: !relax.tensor<[n, m], f32>) -> tuple<!relax.tensor<[n, m], f32>, !relax.tensor<[n, m], f32>> {
  %y, %z = relax.dataflow {
    %0 = relax.exp %x : (!relax.tensor<[n, m], f32>) -> !relax.tensor<[n, m], f32>
    %1 = relax.relu %0 : (!relax.tensor<[n, m], f32>) -> !relax.tensor<[n, m], f32>
    relax.output %0, %1 : !relax.tensor<[n, m], f32>, !relax.tensor<[n, m], f32>
  }
  %t = relax.tuple %y, %z : (!relax.tensor<[n, m], f32>, !relax.tensor<[n, m], f32>) -> tuple<!relax.tensor<[n, m], f32>, !relax.tensor<[n, m], f32>>
  relax.return %t : tuple<!relax.tensor<[n, m], f32>, !relax.tensor<[n, m], f32>>
}

// A value of another block.
relax.func @across_blocks(%x: !relax.tensor<[n, m], f32>) -> !relax.tensor<[n, m], f32> {
  %y = relax.dataflow {
    %0 = relax.exp %x : (!relax.tensor<[n, m], f32>) -> !relax.tensor<[n, m], f32>
    relax.output %0 : !relax.tensor<[n, m], f32>
  }
  %z = relax.dataflow {
    %0 = relax.relu %y : (!relax.tensor<[n, m], f32>) -> !relax.tensor<[n, m], f32>
    relax.output %0 : !relax.tensor<[n, m], f32>
  }
  relax.return %z : !relax.tensor<[n, m], f32>
}

// A row that is broadcast: every element would be computed n times.
relax.func @broadcast(%x: !relax.tensor<[n, m], f32>, %b: !relax.tensor<[m], f32>) -> !relax.tensor<[n, m], f32> {
  %0 = relax.exp %b : (!relax.tensor<[m], f32>) -> !relax.tensor<[m], f32>
  %1 = relax.add %x, %0 : (!relax.tensor<[n, m], f32>, !relax.tensor<[m], f32>) -> !relax.tensor<[n, m], f32>
  relax.return %1 : !relax.tensor<[n, m], f32>
}

// Two contractions: one group has one of them.
relax.func @two_anchors(%x: !relax.tensor<[n, n], f32>, %y: !relax.tensor<[n, n], f32>) -> !relax.tensor<[n, n], f32> {
  %0 = relax.matmul %x, %y : (!relax.tensor<[n, n], f32>, !relax.tensor<[n, n], f32>) -> !relax.tensor<[n, n], f32>
  %1 = relax.matmul %y, %x : (!relax.tensor<[n, n], f32>, !relax.tensor<[n, n], f32>) -> !relax.tensor<[n, n], f32>
  %2 = relax.add %0, %1 : (!relax.tensor<[n, n], f32>, !relax.tensor<[n, n], f32>) -> !relax.tensor<[n, n], f32>
  relax.return %2 : !relax.tensor<[n, n], f32>
}

// A matmul that is read transposed: the epilogue would not run in its order.
relax.func @transposed(%x: !relax.tensor<[n, n], f32>) -> !relax.tensor<[n, n], f32> {
  %0 = relax.matmul %x, %x : (!relax.tensor<[n, n], f32>, !relax.tensor<[n, n], f32>) -> !relax.tensor<[n, n], f32>
  %1 = relax.permute_dims %0 : (!relax.tensor<[n, n], f32>) -> !relax.tensor<[n, n], f32>
  relax.return %1 : !relax.tensor<[n, n], f32>
}

// CHECK-LABEL: relax.func @second_user
// CHECK:         relax.call_tir @exp(%x)
// CHECK-NEXT:    relax.call_tir @relu(%0)
// CHECK-NEXT:    relax.call_tir @sum(%0)
// CHECK-LABEL: relax.func @output
// CHECK:         relax.call_tir @exp(%x)
// CHECK-NEXT:    relax.call_tir @relu(%0)
// CHECK-LABEL: relax.func @across_blocks
// CHECK:         relax.call_tir @exp(%x)
// CHECK:         relax.call_tir @relu(%y)
// CHECK-LABEL: relax.func @broadcast
// CHECK:         relax.call_tir @exp_1(%b)
// CHECK-NEXT:    relax.call_tir @add(%x, %0)
// CHECK-LABEL: relax.func @two_anchors
// CHECK-NEXT:    %0 = relax.call_tir @matmul(%x, %y)
// CHECK-NEXT:    %1 = relax.call_tir @matmul_add(%y, %x, %0)
// CHECK-NEXT:    relax.return %1
// CHECK-LABEL: relax.func @transposed
// CHECK-NEXT:    relax.call_tir @matmul(%x, %x)
// CHECK-NEXT:    relax.call_tir @permute_dims(%0)
