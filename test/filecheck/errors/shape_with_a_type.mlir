// RUN: not relax-opt %s 2>&1 | filecheck %s

// The type of a shape follows from its sizes.

relax.func @f(%x: !relax.tensor<[n], f32>) -> !relax.shape<[n]> {
  %s = relax.shape [n] : () -> !relax.shape<[n]>
  relax.return %s : !relax.shape<[n]>
}

// CHECK: shape_with_a_type.mlir:6:24: error: relax.shape: expected no type, which follows from what it says, found ':'; leave it out{{$}}
