// RUN: relax-opt %s -p relax-recognize-operators,relax-dce | filecheck %s

// A matrix that is repeated for a batch.
relax.func @repeated(%x: !relax.tensor<[b, n, 8], f32>, %w: !relax.tensor<[8, 6], f32>) -> !relax.tensor<[b, n, 6], f32> {
  %gv = relax.dataflow {
    %s = relax.shape [b, 8, 6]
    %r = relax.broadcast_to %w, %s : (!relax.tensor<[8, 6], f32>, !relax.shape<[b, 8, 6]>) -> !relax.tensor<[b, 8, 6], f32>
    %0 = relax.matmul %x, %r : (!relax.tensor<[b, n, 8], f32>, !relax.tensor<[b, 8, 6], f32>) -> !relax.tensor<[b, n, 6], f32>
    relax.output %0 : !relax.tensor<[b, n, 6], f32>
  }
  relax.return %gv : !relax.tensor<[b, n, 6], f32>
}
// CHECK-LABEL: @repeated(
// CHECK: %lv = relax.matmul %x, %w
// CHECK-NEXT: relax.output %lv
// The batch comes from the broadcast; rows are repeated; the batch is checked.
relax.func @stays(%x: !relax.tensor<[n, 8], f32>, %w: !relax.tensor<[1, 6], f32>, %v: !relax.tensor<[8, 6], f32>, %u: !relax.tensor<[b, n, 8], f32>, %t: !relax.tensor<[k, 8, 6], f32>, %one: !relax.tensor<[b], f32>) -> tuple<!relax.tensor<[3, n, 6], f32>, !relax.tensor<[n, 6], f32>, !relax.tensor<[b, n, 6], f32>> {
  %gv, %gv_1, %gv_2 = relax.dataflow {
    %s = relax.shape [3, 8, 6]
    %d = relax.shape [8, 6]
    %e = relax.shape [b, 8, 6]
    %a = relax.broadcast_to %v, %s : (!relax.tensor<[8, 6], f32>, !relax.shape<[3, 8, 6]>) -> !relax.tensor<[3, 8, 6], f32>
    %0 = relax.matmul %x, %a : (!relax.tensor<[n, 8], f32>, !relax.tensor<[3, 8, 6], f32>) -> !relax.tensor<[3, n, 6], f32>
    %b = relax.broadcast_to %w, %d : (!relax.tensor<[1, 6], f32>, !relax.shape<[8, 6]>) -> !relax.tensor<[8, 6], f32>
    %1 = relax.matmul %x, %b : (!relax.tensor<[n, 8], f32>, !relax.tensor<[8, 6], f32>) -> !relax.tensor<[n, 6], f32>
    %c = relax.broadcast_to %t, %e : (!relax.tensor<[k, 8, 6], f32>, !relax.shape<[b, 8, 6]>) -> !relax.tensor<[b, 8, 6], f32>
    %2 = relax.matmul %u, %c : (!relax.tensor<[b, n, 8], f32>, !relax.tensor<[b, 8, 6], f32>) -> !relax.tensor<[b, n, 6], f32>
    relax.output %0, %1, %2 : !relax.tensor<[3, n, 6], f32>, !relax.tensor<[n, 6], f32>, !relax.tensor<[b, n, 6], f32>
  }
  %r = relax.tuple %gv, %gv_1, %gv_2 : (!relax.tensor<[3, n, 6], f32>, !relax.tensor<[n, 6], f32>, !relax.tensor<[b, n, 6], f32>) -> tuple<!relax.tensor<[3, n, 6], f32>, !relax.tensor<[n, 6], f32>, !relax.tensor<[b, n, 6], f32>>
  relax.return %r : tuple<!relax.tensor<[3, n, 6], f32>, !relax.tensor<[n, 6], f32>, !relax.tensor<[b, n, 6], f32>>
}
// CHECK-LABEL: @stays(
// CHECK: %a = relax.broadcast_to %v, %s
// CHECK: %0 = relax.matmul %x, %a
// CHECK: %b = relax.broadcast_to %w, %d
// CHECK: %1 = relax.matmul %x, %b
// CHECK: %c = relax.broadcast_to %t, %e
// CHECK: %2 = relax.matmul %u, %c
// CHECK: relax.output %0, %1, %2
