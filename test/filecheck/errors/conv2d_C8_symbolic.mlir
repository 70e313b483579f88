// RUN: not relax-opt %s 2>&1 | filecheck %s

// The channels differ by one, whatever they are.

relax.func @f(%x: !relax.tensor<[1, c + 1, h, w], f32>, %w: !relax.tensor<[c, c, 3, 3], f32>) -> !relax.object {
  %r = relax.conv2d %x, %w : (!relax.tensor<[1, c + 1, h, w], f32>, !relax.tensor<[c, c, 3, 3], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: conv2d_C8_symbolic.mlir:6:8: error: @f: relax.conv2d (%r): expected x to have the channels that 'weight' reads (C8), found c + 1 where it reads c; correct x, 'weight' or 'groups'{{$}}
