// RUN: not relax-opt %s 2>&1 | filecheck %s

// The element types differ.

relax.func @f(%x: !relax.tensor<[n], i1>, %y: !relax.tensor<[n], f32>, %z: !relax.tensor<[n], f64>) -> !relax.object {
  %r = relax.where %x, %y, %z : (!relax.tensor<[n], i1>, !relax.tensor<[n], f32>, !relax.tensor<[n], f64>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: where_C2.mlir:6:8: error: @f: relax.where (%r): expected operands of one element type (C2), found f32 and f64; convert one of them with relax.astype{{$}}
