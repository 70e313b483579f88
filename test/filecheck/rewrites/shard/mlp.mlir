// RUN: relax-opt %s -p relax-shard | filecheck %s
// RUN: relax-opt %s -p 'relax-shard{report=true}' 2>&1 >/dev/null | filecheck %s --check-prefix=REPORT

// Column-parallel into the hidden units, row-parallel out of them: one sum over the ranks of tp. The batch is cut over those of
// dp, and the result gathered.

// CHECK-LABEL: relax.func @main(
// CHECK-SAME: %x: !relax.tensor<[n, 64], f32>, %a: !relax.tensor<[64, 64], f32>, %c: !relax.tensor<[64], f32>, %b: !relax.tensor<[64, 64], f32>) -> !relax.tensor<[2 * n, 64], f32> attributes {relax.sharded = {x = ["dp", ""], a = ["", "tp"], c = ["tp"], b = ["tp", ""]}} {
// CHECK-NEXT: %0 = relax.matmul %x, %a : (!relax.tensor<[n, 64], f32>, !relax.tensor<[64, 64], f32>) -> !relax.tensor<[n, 64], f32>
// CHECK-NEXT: %1 = relax.add %0, %c : (!relax.tensor<[n, 64], f32>, !relax.tensor<[64], f32>) -> !relax.tensor<[n, 64], f32>
// CHECK-NEXT: %2 = relax.relu %1 : (!relax.tensor<[n, 64], f32>) -> !relax.tensor<[n, 64], f32>
// CHECK-NEXT: %3 = relax.matmul %2, %b : (!relax.tensor<[n, 64], f32>, !relax.tensor<[64, 64], f32>) -> !relax.tensor<[n, 64], f32>
// CHECK-NEXT: %gv = relax.ccl.allreduce %3 {grid = array<i64: 2, 2>, grid_axes = array<i64: 1>} : (!relax.tensor<[n, 64], f32>) -> !relax.tensor<[n, 64], f32>
// CHECK-NEXT: %y = relax.add %gv, %x : (!relax.tensor<[n, 64], f32>, !relax.tensor<[n, 64], f32>) -> !relax.tensor<[n, 64], f32>
// CHECK-NEXT: %{{.*}} = relax.shape [2]
// CHECK-NEXT: %{{.*}} = relax.ccl.allgather %y, %{{.*}} {grid = array<i64: 2, 2>, grid_axes = array<i64: 0>} : (!relax.tensor<[n, 64], f32>, !relax.shape<[2]>) -> !relax.tensor<[2 * n, 64], f32>
// CHECK-NEXT: relax.return

// REPORT: @main on 4 ranks: dp = 2, tp = 2; sizes n = 256
// REPORT-NEXT: allreduce tp 256 * n bytes, of relax.matmul
// REPORT-NEXT: allgather dp 512 * n bytes, of y
// REPORT-NEXT: a rank sends 131072 bytes in 2 collectives
// REPORT-NEXT: ranks of dp
// REPORT: 1024
builtin.module attributes {relax.grid = {tp = 2 : i64, dp = 2 : i64}} {
  relax.func @main(%x: !relax.tensor<[n, 64], f32>, %a: !relax.tensor<[64, 128], f32>, %c: !relax.tensor<[128], f32>, %b: !relax.tensor<[128, 64], f32>) -> !relax.tensor<[n, 64], f32> attributes {relax.sharding = {x = ["dp", ""], a = ["", "tp"], c = ["tp"], b = ["tp", ""]}} {
    %y = relax.dataflow {
      %0 = relax.matmul %x, %a : (!relax.tensor<[n, 64], f32>, !relax.tensor<[64, 128], f32>) -> !relax.tensor<[n, 128], f32>
      %1 = relax.add %0, %c : (!relax.tensor<[n, 128], f32>, !relax.tensor<[128], f32>) -> !relax.tensor<[n, 128], f32>
      %2 = relax.relu %1 : (!relax.tensor<[n, 128], f32>) -> !relax.tensor<[n, 128], f32>
      %3 = relax.matmul %2, %b : (!relax.tensor<[n, 128], f32>, !relax.tensor<[128, 64], f32>) -> !relax.tensor<[n, 64], f32>
      %4 = relax.add %3, %x : (!relax.tensor<[n, 64], f32>, !relax.tensor<[n, 64], f32>) -> !relax.tensor<[n, 64], f32>
      relax.output %4 : !relax.tensor<[n, 64], f32>
    }
    relax.return %y : !relax.tensor<[n, 64], f32>
  }
}
