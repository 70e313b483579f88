// RUN: not relax-opt %s 2>&1 | filecheck %s

// alpha is too short.

relax.func @f(%x: !relax.tensor<[n, 4], f32>, %a: !relax.tensor<[3], f32>) -> !relax.object {
  %r = relax.prelu %x, %a {axis = 1 : i64} : (!relax.tensor<[n, 4], f32>, !relax.tensor<[3], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: prelu_C3.mlir:6:8: error: @f: relax.prelu (%r): expected alpha of length 1 or 4, that of axis 1 (C3), found 3; slice it, or correct the axis{{$}}
