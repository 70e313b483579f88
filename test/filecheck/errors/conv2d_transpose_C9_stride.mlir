// RUN: not relax-opt %s 2>&1 | filecheck %s

// An output padding as long as a stride.

relax.func @f(%x: !relax.tensor<[1, 4, 8, 8], f32>, %w: !relax.tensor<[4, 6, 3, 3], f32>) -> !relax.object {
  %r = relax.conv2d_transpose %x, %w {output_padding = array<i64: 0, 2>, strides = array<i64: 2>} : (!relax.tensor<[1, 4, 8, 8], f32>, !relax.tensor<[4, 6, 3, 3], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: conv2d_transpose_C9_stride.mlir:6:8: error: @f: relax.conv2d_transpose (%r): expected an output padding along W less than its stride or dilation (C9), found 2; correct 'output_padding'{{$}}
