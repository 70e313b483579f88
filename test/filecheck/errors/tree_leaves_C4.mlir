// RUN: not relax-opt %s 2>&1 | filecheck %s

// A table without second children.

relax.func @f(%x: !relax.tensor<[n, 4], f32>, %nodes: !relax.tensor<[k, 3], i32>, %roots: !relax.tensor<[t], i32>, %first: !relax.tensor<[k], i1>) -> !relax.object {
  %r = relax.tree_leaves %x, %nodes, %roots, %first : (!relax.tensor<[n, 4], f32>, !relax.tensor<[k, 3], i32>, !relax.tensor<[t], i32>, !relax.tensor<[k], i1>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: tree_leaves_C4.mlir:6:8: error: @f: relax.tree_leaves (%r): expected four columns of 'nodes' (C4), found 3 for 4; reshape it{{$}}
