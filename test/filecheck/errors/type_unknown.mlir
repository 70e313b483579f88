// RUN: not relax-opt %s 2>&1 | filecheck %s

// A type is one of a known dialect.

relax.func @f(%x: !relax.tnsr<[4], f32>) -> !relax.object {
  relax.return %x : !relax.tnsr<[4], f32>
}

// CHECK: type_unknown.mlir:5:30: error: expected a type or attribute of a known dialect, found relax.tnsr; is relax.tensor meant?{{$}}
