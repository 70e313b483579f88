// RUN: not relax-opt %s 2>&1 | filecheck %s

// An element cannot stand there minus once.

relax.func @f(%x: !relax.tensor<[n], f32>) -> !relax.object {
  %r = relax.repeat %x {repeats = -1 : i64} : (!relax.tensor<[n], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: repeat_C1.mlir:6:8: error: @f: relax.repeat (%r): expected repeats to be at least 0 (C1), found -1; correct repeats{{$}}
