// RUN: not relax-opt %s 2>&1 | filecheck %s

// A vector is not the broadcast of a matrix.

relax.func @f(%x: !relax.tensor<[n], f32>, %y: !relax.shape<[1, n]>) -> !relax.object {
  %r = relax.collapse_sum_to %x, %y : (!relax.tensor<[n], f32>, !relax.shape<[1, n]>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: collapse_sum_to_C2.mlir:6:8: error: @f: relax.collapse_sum_to (%r): expected a shape of rank 1 or less (C2), found [1, n]; leave out the leading sizes{{$}}
