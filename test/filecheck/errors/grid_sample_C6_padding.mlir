// RUN: not relax-opt %s 2>&1 | filecheck %s

// There is no padding of that name.

relax.func @f(%a: !relax.tensor<[1, 3, 4, 4], f32>, %b: !relax.tensor<[1, 5, 5, 2], f32>) -> !relax.object {
  %r = relax.grid_sample %a, %b {padding_mode = "wrap"} : (!relax.tensor<[1, 3, 4, 4], f32>, !relax.tensor<[1, 5, 5, 2], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: grid_sample_C6_padding.mlir:6:8: error: @f: relax.grid_sample (%r): expected padding_mode to be one of "zeros", "border", "reflection" (C6), found "wrap"; correct padding_mode{{$}}
