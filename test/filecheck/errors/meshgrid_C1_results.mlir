// RUN: not relax-opt %s 2>&1 | filecheck %s

// Two vectors describe two coordinates.

relax.func @f(%x: !relax.tensor<[n], f32>, %y: !relax.tensor<[m], f32>) -> !relax.object {
  %r = relax.meshgrid %x, %y {indexing = "ij"} : (!relax.tensor<[n], f32>, !relax.tensor<[m], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: meshgrid_C1_results.mlir:6:8: error: @f: relax.meshgrid (%r): expected 2 results for as many tensors (C1), found 1; correct their number{{$}}
