// RUN: relax-opt %s --split-input-file --verify-diagnostics | filecheck %s

// 3 and 4 do not broadcast.

relax.func @f(%x: !relax.tensor<[n, 3], f32>, %y: !relax.tensor<[n, 4], f32>) -> !relax.object {
  %r = relax.subtract %x, %y : (!relax.tensor<[n, 3], f32>, !relax.tensor<[n, 4], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: error: @f: relax.subtract (%r): expected sizes that broadcast: equal, or one of them 1 (C2), found 3 and 4; reshape or slice one of the operands{{$}}

// -----

// 3 and 4 do not broadcast.

relax.func @f(%x: !relax.tensor<[n, 3], f32>, %y: !relax.tensor<[n, 4], f32>) -> !relax.object {
  %r = relax.multiply %x, %y : (!relax.tensor<[n, 3], f32>, !relax.tensor<[n, 4], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: error: @f: relax.multiply (%r): expected sizes that broadcast: equal, or one of them 1 (C2), found 3 and 4; reshape or slice one of the operands{{$}}

// -----

// 3 and 4 do not broadcast.

relax.func @f(%x: !relax.tensor<[n, 3], f32>, %y: !relax.tensor<[n, 4], f32>) -> !relax.object {
  %r = relax.maximum %x, %y : (!relax.tensor<[n, 3], f32>, !relax.tensor<[n, 4], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: error: @f: relax.maximum (%r): expected sizes that broadcast: equal, or one of them 1 (C2), found 3 and 4; reshape or slice one of the operands{{$}}
