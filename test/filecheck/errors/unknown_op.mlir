// RUN: not relax-opt %s 2>&1 | filecheck %s

// An op is one of a known dialect.

relax.func @f(%x: !relax.tensor<[n, 4], f32>) -> !relax.object {
  %y = relax.expp %x : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4], f32>
  relax.return %x : !relax.tensor<[n, 4], f32>
}

// CHECK: unknown_op.mlir:6:19: error: expected an op of a known dialect, found relax.expp; is relax.exp meant?{{$}}
