// RUN: not relax-opt %s 2>&1 | filecheck %s

// Counts are asked for.

relax.func @f(%x: !relax.tensor<[n, 4], f32>) -> !relax.object {
  %r = relax.unique %x {return_counts = true} : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: unique_C2.mlir:6:8: error: @f: relax.unique (%r): expected 2 results (C2), found 1; correct their number{{$}}
