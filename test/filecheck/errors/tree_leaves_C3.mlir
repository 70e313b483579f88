// RUN: not relax-opt %s 2>&1 | filecheck %s

// A flag for some nodes.

relax.func @f(%x: !relax.tensor<[n, 4], f32>, %nodes: !relax.tensor<[7, 4], i32>, %roots: !relax.tensor<[t], i32>, %first: !relax.tensor<[6], i1>) -> !relax.object {
  %r = relax.tree_leaves %x, %nodes, %roots, %first : (!relax.tensor<[n, 4], f32>, !relax.tensor<[7, 4], i32>, !relax.tensor<[t], i32>, !relax.tensor<[6], i1>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: tree_leaves_C3.mlir:6:8: error: @f: relax.tree_leaves (%r): expected an element of 'missing_first' for each node (C3), found 6 for 7; slice it{{$}}
