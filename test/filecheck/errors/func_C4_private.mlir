// RUN: not relax-opt %s 2>&1 | filecheck %s

// Inside the module values never change.

relax.func private @f(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> attributes {inplace_indices = array<i64: 0>} {
  relax.return %x : !relax.tensor<[n], f32>
}

// CHECK: func_C4_private.mlir:5:1: error: relax.func @f: expected inplace_indices of a function that is called from outside (C4), found a private one; leave it out: inside the module values never change{{$}}
