// RUN: not relax-opt %s 2>&1 | filecheck %s

// Steps backwards.

relax.func @f(%x: !relax.tensor<[n, 4], f32>, %nodes: !relax.tensor<[k, 4], i32>, %roots: !relax.tensor<[t], i32>, %first: !relax.tensor<[k], i1>) -> !relax.object {
  %r = relax.tree_leaves %x, %nodes, %roots, %first {depth = -1 : i64} : (!relax.tensor<[n, 4], f32>, !relax.tensor<[k, 4], i32>, !relax.tensor<[t], i32>, !relax.tensor<[k], i1>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: tree_leaves_C6.mlir:6:8: error: @f: relax.tree_leaves (%r): expected depth to be at least 0 (C6), found -1; correct depth{{$}}
