// RUN: not relax-opt %s 2>&1 | filecheck %s

// The nearest name is suggested.

relax.func @f(%x: !relax.tensr<[n], f32>) -> !relax.tensor<[n], f32> {
  relax.return %x : !relax.tensor<[n], f32>
}

// CHECK: type_misspelled.mlir:5:31: error: expected a type or attribute of a known dialect, found relax.tensr; is relax.tensor meant?{{$}}
