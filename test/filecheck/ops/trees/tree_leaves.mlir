// RUN: relax-opt %s | relax-opt | filecheck %s
// RUN: relax-opt %s --print-op-generic | relax-opt | filecheck %s

// CHECK-LABEL: relax.func @leaves(
// CHECK-NEXT: %r = relax.tree_leaves %x, %nodes, %roots {depth = 3 : i64} : (!relax.tensor<[n, 4], f32>, !relax.tensor<[k, 4], i32>, !relax.tensor<[t], i32>) -> !relax.tensor<[n, t], i32>{{$}}
relax.func @leaves(%x: !relax.tensor<[n, 4], f32>, %nodes: !relax.tensor<[k, 4], i32>, %roots: !relax.tensor<[t], i32>) -> !relax.object {
  %r = relax.tree_leaves %x, %nodes, %roots {depth = 3 : i64} : (!relax.tensor<[n, 4], f32>, !relax.tensor<[k, 4], i32>, !relax.tensor<[t], i32>) -> !relax.tensor<[n, t], i32>
  relax.return %r : !relax.tensor<[n, t], i32>
}

// CHECK-LABEL: relax.func @missing(
// CHECK-NEXT: %r = relax.tree_leaves %x, %nodes, %roots, %first : (!relax.tensor<[n, 4], f64>, !relax.tensor<[k, 4], i64>, !relax.tensor<[2], i64>, !relax.tensor<[k], i1>) -> !relax.tensor<[n, 2], i64>{{$}}
relax.func @missing(%x: !relax.tensor<[n, 4], f64>, %nodes: !relax.tensor<[k, 4], i64>, %roots: !relax.tensor<[2], i64>, %first: !relax.tensor<[k], i1>) -> !relax.object {
  %r = relax.tree_leaves %x, %nodes, %roots, %first : (!relax.tensor<[n, 4], f64>, !relax.tensor<[k, 4], i64>, !relax.tensor<[2], i64>, !relax.tensor<[k], i1>) -> !relax.tensor<[n, 2], i64>
  relax.return %r : !relax.tensor<[n, 2], i64>
}

// CHECK-LABEL: relax.func @unknown(
// CHECK-NEXT: %r = relax.tree_leaves %x, %nodes, %roots : (!relax.tensor<*>, !relax.tensor<[?, 4]>, !relax.tensor<[?], i32>) -> !relax.tensor<[?, ?]>{{$}}
relax.func @unknown(%x: !relax.tensor<*>, %nodes: !relax.tensor<[?, 4]>, %roots: !relax.tensor<[?], i32>) -> !relax.object {
  %r = relax.tree_leaves %x, %nodes, %roots : (!relax.tensor<*>, !relax.tensor<[?, 4]>, !relax.tensor<[?], i32>) -> !relax.tensor<[?, ?]>
  relax.return %r : !relax.tensor<[?, ?]>
}
