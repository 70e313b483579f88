// RUN: not relax-opt %s 2>&1 | filecheck %s

// A matrix is no axis.

relax.func @f(%x: !relax.tensor<[n, 1], f32>) -> !relax.object {
  %r = relax.meshgrid %x {indexing = "ij"} : (!relax.tensor<[n, 1], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: meshgrid_C2.mlir:6:8: error: @f: relax.meshgrid (%r): expected 'tensors' of rank 1 (C2), found rank 2; use relax.flatten first{{$}}
