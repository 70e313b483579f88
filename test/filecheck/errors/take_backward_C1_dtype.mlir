// RUN: not relax-opt %s 2>&1 | filecheck %s

// A cotangent has the element type of what was taken from.

relax.func @f(%g: !relax.tensor<[k], f16>, %x: !relax.tensor<[n], f32>, %i: !relax.tensor<[k], i64>) -> !relax.object {
  %z = relax.take_backward %g, %x, %i : (!relax.tensor<[k], f16>, !relax.tensor<[n], f32>, !relax.tensor<[k], i64>) -> !relax.tensor<[n], f32>
  relax.return %z : !relax.tensor<[n], f32>
}

// CHECK: take_backward_C1_dtype.mlir:6:8: error: @f: relax.take_backward (%z): expected operands of one element type (C1), found f16 and f32; convert one of them with relax.astype{{$}}
