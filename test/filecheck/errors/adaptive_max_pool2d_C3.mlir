// RUN: not relax-opt %s 2>&1 | filecheck %s

// An image without elements.

relax.func @f(%x: !relax.tensor<[1, 4, 0, w], f32>) -> !relax.object {
  %r = relax.adaptive_max_pool2d %x {output_size = array<i64: 1>} : (!relax.tensor<[1, 4, 0, w], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: adaptive_max_pool2d_C3.mlir:6:8: error: @f: relax.adaptive_max_pool2d (%r): expected x to have 1 or more elements along H (C3), found 0; there is nothing to reduce{{$}}
