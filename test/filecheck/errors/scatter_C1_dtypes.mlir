// RUN: not relax-opt %s 2>&1 | filecheck %s

// Updates have the element type of the data.

relax.func @f(%a: !relax.tensor<[n], f32>, %b: !relax.tensor<[k], i64>, %c: !relax.tensor<[k], f16>) -> !relax.object {
  %r = relax.scatter_elements %a, %b, %c : (!relax.tensor<[n], f32>, !relax.tensor<[k], i64>, !relax.tensor<[k], f16>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: scatter_C1_dtypes.mlir:6:8: error: @f: relax.scatter_elements (%r): expected operands of one element type (C1), found f32 and f16; convert one of them with relax.astype{{$}}
