// RUN: relax-opt %s --split-input-file --verify-diagnostics | filecheck %s

// No node.

relax.func @f(%x: !relax.tensor<[n, 4], f32>, %nodes: !relax.tensor<[0, 4], i32>, %roots: !relax.tensor<[t], i32>, %first: !relax.tensor<[0], i1>) -> !relax.object {
  %r = relax.tree_leaves %x, %nodes, %roots, %first : (!relax.tensor<[n, 4], f32>, !relax.tensor<[0, 4], i32>, !relax.tensor<[t], i32>, !relax.tensor<[0], i1>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: error: @f: relax.tree_leaves (%r): expected at least one node (C5), found 0; leave out empty tables{{$}}

// -----

// No feature.

relax.func @f(%x: !relax.tensor<[n, 0], f32>, %nodes: !relax.tensor<[k, 4], i32>, %roots: !relax.tensor<[t], i32>, %first: !relax.tensor<[k], i1>) -> !relax.object {
  %r = relax.tree_leaves %x, %nodes, %roots, %first : (!relax.tensor<[n, 0], f32>, !relax.tensor<[k, 4], i32>, !relax.tensor<[t], i32>, !relax.tensor<[k], i1>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: error: @f: relax.tree_leaves (%r): expected at least one feature (C5), found 0; leave out empty tables{{$}}
