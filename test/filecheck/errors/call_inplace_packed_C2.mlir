// RUN: not relax-opt %s 2>&1 | filecheck %s

// A result is what the argument has become.

relax.func @f(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  %a = relax.call_inplace_packed "f"(%x) {inplace_indices = array<i64: 0>} : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f64>
  relax.return %x : !relax.tensor<[n], f32>
}

// CHECK: call_inplace_packed_C2.mlir:6:8: error: @f: relax.call_inplace_packed (%a): expected a result of the type of argument 0, !relax.tensor<[n], f32> (C2), found !relax.tensor<[n], f64>; correct the result type{{$}}
