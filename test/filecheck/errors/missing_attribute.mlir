// RUN: not relax-opt %s 2>&1 | filecheck %s

// An attribute without a default is written, as the axis of softmax.

relax.func @f(%x: !relax.tensor<[n, 4], f32>) -> !relax.object {
  %y = relax.softmax %x : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4], f32>
  relax.return %x : !relax.tensor<[n, 4], f32>
}

// CHECK: missing_attribute.mlir:6:8: error: @f: relax.softmax (%y): expected attribute 'axis', found none; write {axis = ...} after the operands{{$}}
