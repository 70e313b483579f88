// RUN: relax-opt %s --split-input-file --verify-diagnostics | filecheck %s

// Integers as wide as x.

relax.func @f(%x: !relax.tensor<[n, 4], f32>, %nodes: !relax.tensor<[k, 4], i64>, %roots: !relax.tensor<[t], i64>, %first: !relax.tensor<[k], i1>) -> !relax.object {
  %r = relax.tree_leaves %x, %nodes, %roots, %first : (!relax.tensor<[n, 4], f32>, !relax.tensor<[k, 4], i64>, !relax.tensor<[t], i64>, !relax.tensor<[k], i1>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: error: @f: relax.tree_leaves (%r): expected 'nodes' of i32 for x of f32 (C1), found i64; make integers as wide as x{{$}}

// -----

// Half a float.

relax.func @f(%x: !relax.tensor<[n, 4], f16>, %nodes: !relax.tensor<[k, 4], i32>, %roots: !relax.tensor<[t], i32>, %first: !relax.tensor<[k], i1>) -> !relax.object {
  %r = relax.tree_leaves %x, %nodes, %roots, %first : (!relax.tensor<[n, 4], f16>, !relax.tensor<[k, 4], i32>, !relax.tensor<[t], i32>, !relax.tensor<[k], i1>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: error: @f: relax.tree_leaves (%r): expected the element type f32 or f64 of 'x' (C1), found f16; convert with relax.astype first{{$}}

// -----

// A mask of numbers.

relax.func @f(%x: !relax.tensor<[n, 4], f32>, %nodes: !relax.tensor<[k, 4], i32>, %roots: !relax.tensor<[t], i32>, %first: !relax.tensor<[k], i32>) -> !relax.object {
  %r = relax.tree_leaves %x, %nodes, %roots, %first : (!relax.tensor<[n, 4], f32>, !relax.tensor<[k, 4], i32>, !relax.tensor<[t], i32>, !relax.tensor<[k], i32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: error: @f: relax.tree_leaves (%r): expected the element type i1 of 'missing_first' (C1), found i32; compare with relax.not_equal first{{$}}
