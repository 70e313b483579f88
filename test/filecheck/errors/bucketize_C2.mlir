// RUN: not relax-opt %s 2>&1 | filecheck %s

// There is one row of boundaries.

relax.func @f(%x: !relax.tensor<[n], f32>, %y: !relax.tensor<[4, 4], f32>) -> !relax.object {
  %r = relax.bucketize %x, %y : (!relax.tensor<[n], f32>, !relax.tensor<[4, 4], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: bucketize_C2.mlir:6:8: error: @f: relax.bucketize (%r): expected 'boundaries' of rank 1 (C2), found rank 2; reshape it{{$}}
