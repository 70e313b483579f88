// RUN: not relax-opt %s 2>&1 | filecheck %s

// A shape names every size.

relax.func @f(%x: !relax.tensor<[n, 4], f32>) -> !relax.object {
  %y = relax.shape [n, ?]
  relax.return %x : !relax.tensor<[n, 4], f32>
}

// CHECK: shape_unknown.mlir:6:8: error: @f: relax.shape (%y): expected sizes that are symbolic expressions (C1), found [n, ?]; name every size{{$}}
