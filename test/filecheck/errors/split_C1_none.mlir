// RUN: not relax-opt %s 2>&1 | filecheck %s

// Nothing says where to split.

relax.func @f(%x: !relax.tensor<[n], f32>) -> !relax.object {
  %r0, %r1 = relax.split %x : (!relax.tensor<[n], f32>) -> (!relax.tensor<*>, !relax.tensor<*>)
  relax.return %r0 : !relax.tensor<*>
}

// CHECK: split_C1_none.mlir:6:14: error: @f: relax.split (%r0, %r1): expected either sections or indices (C1), found none; write one of them{{$}}
