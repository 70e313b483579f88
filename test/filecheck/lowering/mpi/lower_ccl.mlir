// RUN: relax-opt %s -p relax-lower-ccl | filecheck %s

// The parts of ranks follow each other along a first axis; f16 is reduced in f32, and an average divides a sum.

relax.func @collectives(%x: !relax.tensor<[4, n], f32>, %h: !relax.tensor<[n], f16>, %q: !relax.shape<[r]>) -> !relax.tensor<[?, ?], f32> {
  %a = relax.ccl.allgather %x, %q {axis = 1 : i64} : (!relax.tensor<[4, n], f32>, !relax.shape<[r]>) -> !relax.tensor<[4, n * r], f32>
  %b = relax.ccl.allreduce %h {op_type = "avg", grid = array<i64: 2, -1>, grid_axes = array<i64: 0>} : (!relax.tensor<[n], f16>) -> !relax.tensor<[n], f16>
  %c = relax.ccl.reduce_scatter %a, %q {axis = 1 : i64} : (!relax.tensor<[4, n * r], f32>, !relax.shape<[r]>) -> !relax.tensor<[4, n], f32>
  %d = relax.ccl.broadcast_from_worker0 %c : (!relax.tensor<[4, n], f32>) -> !relax.tensor<[4, n], f32>
  relax.return %d : !relax.tensor<[4, n], f32>
}
relax.func @messages(%x: !relax.tensor<[n], f32>, %to: !relax.shape<[to]>, %m: !relax.shape<[m]>) -> !relax.tensor<[m], f32> {
  relax.ccl.send %x, %to {tag = 7 : i64} : (!relax.tensor<[n], f32>, !relax.shape<[to]>) -> ()
  %y = relax.ccl.recv %to, %m : (!relax.shape<[to]>, !relax.shape<[m]>) -> !relax.tensor<[m], f32>
  %r = relax.ccl.rank : () -> !relax.shape<[?]>
  relax.return %y : !relax.tensor<[m], f32>
}

// CHECK:       relax.func @collectives(%x: !relax.tensor<[4, n], f32>, %h: !relax.tensor<[n], f16>, %q: !relax.shape<[r]>) -> !relax.tensor<[?, ?], f32> {
// CHECK-NEXT:    %0 = relax.call_dps_packed "relax.mpi.allgather"(%x, "") : (!relax.tensor<[4, n], f32>) -> !relax.tensor<[r, 4, n], f32>
// CHECK-NEXT:    %1 = relax.permute_dims %0 {axes = array<i64: 1, 0, 2>} : (!relax.tensor<[r, 4, n], f32>) -> !relax.tensor<[4, r, n], f32>
// CHECK-NEXT:    %2 = relax.shape [4, n * r]
// CHECK-NEXT:    %a = relax.reshape %1, %2 : (!relax.tensor<[4, r, n], f32>, !relax.shape<[4, n * r]>) -> !relax.tensor<[4, n * r], f32>
// CHECK-NEXT:    %3 = relax.astype %h {dtype = f32} : (!relax.tensor<[n], f16>) -> !relax.tensor<[n], f32>
// CHECK-NEXT:    %4 = relax.call_inplace_packed "relax.mpi.allreduce"(%3, "sum", "2,-1/0") {inplace_indices = array<i64: 0>} : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
// CHECK-NEXT:    %5 = relax.constant dense<2.000000e+00> : tensor<f32>
// CHECK-NEXT:    %6 = relax.divide %4, %5 : (!relax.tensor<[n], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[n], f32>
// CHECK-NEXT:    %b = relax.astype %6 {dtype = f16} : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f16>
// CHECK-NEXT:    %7 = relax.shape [4, r, n]
// CHECK-NEXT:    %8 = relax.reshape %a, %7 : (!relax.tensor<[4, n * r], f32>, !relax.shape<[4, r, n]>) -> !relax.tensor<[4, r, n], f32>
// CHECK-NEXT:    %9 = relax.permute_dims %8 {axes = array<i64: 1, 0, 2>} : (!relax.tensor<[4, r, n], f32>) -> !relax.tensor<[r, 4, n], f32>
// CHECK-NEXT:    %c = relax.call_dps_packed "relax.mpi.reduce_scatter_block"(%9, "sum", "") : (!relax.tensor<[r, 4, n], f32>) -> !relax.tensor<[4, n], f32>
// CHECK-NEXT:    %d = relax.call_inplace_packed "relax.mpi.bcast"(%c, "") {inplace_indices = array<i64: 0>} : (!relax.tensor<[4, n], f32>) -> !relax.tensor<[4, n], f32>
// CHECK-NEXT:    relax.return %d : !relax.tensor<[4, n], f32>
// CHECK-NEXT:  }
// CHECK-NEXT:  relax.func @messages(%x: !relax.tensor<[n], f32>, %to: !relax.shape<[to]>, %m: !relax.shape<[m]>) -> !relax.tensor<[m], f32> {
// CHECK-NEXT:    %0 = relax.call_packed "relax.mpi.send"(%x, %to, "7", "") : (!relax.tensor<[n], f32>, !relax.shape<[to]>) -> !relax.object
// CHECK-NEXT:    %y = relax.call_packed "relax.mpi.recv"(%to, %m, "0", "") : (!relax.shape<[to]>, !relax.shape<[m]>) -> !relax.tensor<[m], f32>
// CHECK-NEXT:    %r = relax.call_packed "relax.mpi.comm.rank"("") : () -> !relax.shape<[?]>
// CHECK-NEXT:    relax.return %y : !relax.tensor<[m], f32>
// CHECK-NEXT:  }
