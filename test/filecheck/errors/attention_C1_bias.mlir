// RUN: not relax-opt %s 2>&1 | filecheck %s

// A bias of another type that is no mask.

relax.func @f(%x: !relax.tensor<[b, n, 4, 8], f32>, %y: !relax.tensor<[b, n, 4, 8], f32>, %z: !relax.tensor<[b, n, 4, 8], f32>, %u: !relax.tensor<[1, 1, n, n], i32>) -> !relax.object {
  %r = relax.attention %x, %y, %z, %u : (!relax.tensor<[b, n, 4, 8], f32>, !relax.tensor<[b, n, 4, 8], f32>, !relax.tensor<[b, n, 4, 8], f32>, !relax.tensor<[1, 1, n, n], i32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: attention_C1_bias.mlir:6:8: error: @f: relax.attention (%r): expected operands of one element type (C1), found f32 and i32; convert one of them with relax.astype{{$}}
