// RUN: relax-opt %s | relax-opt | filecheck %s
// RUN: relax-opt %s -p relax-cse,relax-dce,relax-canonicalize-bindings,relax-to-graph-normal-form,relax-to-basic-block-normal-form,relax-convert-to-dataflow | filecheck %s --check-prefix=KEPT

// Communication keeps its order, and is neither dropped nor shared.

// CHECK-LABEL: relax.func @main(
// CHECK-NEXT: %p = relax.ccl.world_size : () -> !relax.shape<[?]>
// CHECK-NEXT: %q = relax.match_shape %p [ranks] : (!relax.shape<[?]>) -> !relax.shape<[ranks]>
// CHECK-NEXT: %y = relax.ccl.allgather %x, %q : (!relax.tensor<[n, 4], f32>, !relax.shape<[ranks]>) -> !relax.tensor<[n * ranks, 4], f32>
// CHECK-NEXT: %z = relax.ccl.reduce_scatter %y, %q {op_type = "max", axis = 0 : i64} : (!relax.tensor<[n * ranks, 4], f32>, !relax.shape<[ranks]>) -> !relax.tensor<[n, 4], f32>
// CHECK-NEXT: %a = relax.ccl.allreduce %z {in_group = false, grid = array<i64: -1, 2>, grid_axes = array<i64: 1>} : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4], f32>
// CHECK-NEXT: %b = relax.ccl.allreduce %z {in_group = false, grid = array<i64: -1, 2>, grid_axes = array<i64: 1>} : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4], f32>
// CHECK-NEXT: %c = relax.ccl.broadcast_from_worker0 %a : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4], f32>
// CHECK-NEXT: %two = relax.shape [2]
// CHECK-NEXT: %d = relax.ccl.scatter_from_worker0 %c, %two {axis = 1 : i64} : (!relax.tensor<[n, 4], f32>, !relax.shape<[2]>) -> !relax.tensor<[n, 2], f32>
// CHECK-NEXT: %e = relax.ccl.all_to_all %d, %two {split_axis = 1 : i64} : (!relax.tensor<[n, 2], f32>, !relax.shape<[2]>) -> !relax.tensor<[2 * n, 1], f32>
// CHECK-NEXT: relax.ccl.send %e, %two {tag = 3 : i64} : (!relax.tensor<[2 * n, 1], f32>, !relax.shape<[2]>) -> ()
// CHECK-NEXT: %f = relax.ccl.recv %two, %q {dtype = i64} : (!relax.shape<[2]>, !relax.shape<[ranks]>) -> !relax.tensor<[ranks], i64>
// CHECK-NEXT: %r = relax.ccl.rank {grid = array<i64: -1, 2>, grid_axes = array<i64: 1>} : () -> !relax.shape<[?]>

// KEPT: relax.ccl.world_size
// KEPT: relax.ccl.allgather
// KEPT: relax.ccl.reduce_scatter
// KEPT: relax.ccl.allreduce
// KEPT: relax.ccl.allreduce
// KEPT: relax.ccl.broadcast_from_worker0
// KEPT: relax.ccl.scatter_from_worker0
// KEPT: relax.ccl.all_to_all
// KEPT: relax.ccl.send
// KEPT: relax.ccl.recv
// KEPT: relax.ccl.rank
relax.func @main(%x: !relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4], f32> {
  %p = relax.ccl.world_size : () -> !relax.shape<[?]>
  %q = relax.match_shape %p [ranks] : (!relax.shape<[?]>) -> !relax.shape<[ranks]>
  %y = relax.ccl.allgather %x, %q : (!relax.tensor<[n, 4], f32>, !relax.shape<[ranks]>) -> !relax.tensor<[n * ranks, 4], f32>
  %z = relax.ccl.reduce_scatter %y, %q {op_type = "max", axis = 0 : i64} : (!relax.tensor<[n * ranks, 4], f32>, !relax.shape<[ranks]>) -> !relax.tensor<[n, 4], f32>
  %a = relax.ccl.allreduce %z {in_group = false, grid = array<i64: -1, 2>, grid_axes = array<i64: 1>} : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4], f32>
  %b = relax.ccl.allreduce %z {in_group = false, grid = array<i64: -1, 2>, grid_axes = array<i64: 1>} : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4], f32>
  %c = relax.ccl.broadcast_from_worker0 %a : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4], f32>
  %two = relax.shape [2]
  %d = relax.ccl.scatter_from_worker0 %c, %two {axis = 1 : i64} : (!relax.tensor<[n, 4], f32>, !relax.shape<[2]>) -> !relax.tensor<[n, 2], f32>
  %e = relax.ccl.all_to_all %d, %two {split_axis = 1 : i64} : (!relax.tensor<[n, 2], f32>, !relax.shape<[2]>) -> !relax.tensor<[2 * n, 1], f32>
  relax.ccl.send %e, %two {tag = 3 : i64} : (!relax.tensor<[2 * n, 1], f32>, !relax.shape<[2]>) -> ()
  %f = relax.ccl.recv %two, %q {dtype = i64} : (!relax.shape<[2]>, !relax.shape<[ranks]>) -> !relax.tensor<[ranks], i64>
  %r = relax.ccl.rank {grid = array<i64: -1, 2>, grid_axes = array<i64: 1>} : () -> !relax.shape<[?]>
  relax.return %x : !relax.tensor<[n, 4], f32>
}
