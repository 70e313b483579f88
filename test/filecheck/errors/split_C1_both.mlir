// RUN: not relax-opt %s 2>&1 | filecheck %s

// Sections and indices say different things.

relax.func @f(%x: !relax.tensor<[n], f32>) -> !relax.object {
  %r0, %r1 = relax.split %x {sections = 2 : i64, indices = array<i64: 1>} : (!relax.tensor<[n], f32>) -> (!relax.tensor<*>, !relax.tensor<*>)
  relax.return %r0 : !relax.tensor<*>
}

// CHECK: split_C1_both.mlir:6:14: error: @f: relax.split (%r0, %r1): expected either sections or indices (C1), found both; write one of them{{$}}
