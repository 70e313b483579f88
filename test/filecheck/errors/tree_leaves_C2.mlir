// RUN: not relax-opt %s 2>&1 | filecheck %s

// A row alone.

relax.func @f(%x: !relax.tensor<[4], f32>, %nodes: !relax.tensor<[k, 4], i32>, %roots: !relax.tensor<[t], i32>, %first: !relax.tensor<[k], i1>) -> !relax.object {
  %r = relax.tree_leaves %x, %nodes, %roots, %first : (!relax.tensor<[4], f32>, !relax.tensor<[k, 4], i32>, !relax.tensor<[t], i32>, !relax.tensor<[k], i1>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: tree_leaves_C2.mlir:6:8: error: @f: relax.tree_leaves (%r): expected 'x' of rank 2 (C2), found rank 1; reshape it{{$}}
