// RUN: not relax-opt %s 2>&1 | filecheck %s

// A result without elements.

relax.func @f(%x: !relax.tensor<[1, 4, 8, 8], f32>) -> !relax.object {
  %r = relax.adaptive_max_pool2d %x {output_size = array<i64: 1, 0>} : (!relax.tensor<[1, 4, 8, 8], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: adaptive_max_pool2d_C4.mlir:6:8: error: @f: relax.adaptive_max_pool2d (%r): expected 'output_size' to be 1 or 2 numbers of 1 or more (C4), found [1, 0]; write one for each of H, W{{$}}
