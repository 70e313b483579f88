// RUN: not relax-opt %s 2>&1 | filecheck %s

// No group.

relax.func @f(%x: !relax.tensor<[1, 4, 8, 8], f32>, %w: !relax.tensor<[6, 4, 3, 3], f32>) -> !relax.object {
  %r = relax.conv2d %x, %w {groups = 0 : i64} : (!relax.tensor<[1, 4, 8, 8], f32>, !relax.tensor<[6, 4, 3, 3], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: conv2d_C7_count.mlir:6:8: error: @f: relax.conv2d (%r): expected groups to be at least 1 (C7), found 0; leave it out for one group{{$}}
