// RUN: not relax-opt %s 2>&1 | filecheck %s

// Indices count from the front.

relax.func @f(%x: !relax.tensor<[n], f32>) -> !relax.object {
  %r0, %r1, %r2 = relax.split %x {indices = array<i64: 3, -1>} : (!relax.tensor<[n], f32>) -> (!relax.tensor<*>, !relax.tensor<*>, !relax.tensor<*>)
  relax.return %r0 : !relax.tensor<*>
}

// CHECK: split_C2_negative.mlir:6:19: error: @f: relax.split (%r0, %r1, %r2): expected indices of at least 0 (C2), found [3, -1]; count from the front{{$}}
