// RUN: not relax-opt %s 2>&1 | filecheck %s

// The nearest name is suggested.

relax.func @f(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  %y = relax.sofmax %x : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  relax.return %y : !relax.tensor<[n], f32>
}

// CHECK: op_misspelled.mlir:6:21: error: expected an op of a known dialect, found relax.sofmax; is relax.softmax meant?{{$}}
