// RUN: not relax-opt %s 2>&1 | filecheck %s

// A tensor cannot stand there minus once.

relax.func @f(%x: !relax.tensor<[n], f32>) -> !relax.object {
  %r = relax.tile %x {repeats = array<i64: 2, -1>} : (!relax.tensor<[n], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: tile_C1.mlir:6:8: error: @f: relax.tile (%r): expected repeats to be at least 0 (C1), found -1; correct repeats{{$}}
