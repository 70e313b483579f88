// RUN: not relax-opt %s 2>&1 | filecheck %s

// A number is no truth value.

relax.func @f(%x: !relax.tensor<[n], f32>, %y: !relax.tensor<[n], f32>, %z: !relax.tensor<[n], f32>) -> !relax.object {
  %r = relax.where %x, %y, %z : (!relax.tensor<[n], f32>, !relax.tensor<[n], f32>, !relax.tensor<[n], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: where_C1.mlir:6:8: error: @f: relax.where (%r): expected a boolean element type of 'condition' (C1), found f32; compare with 0 by relax.not_equal, or convert with relax.astype, first{{$}}
