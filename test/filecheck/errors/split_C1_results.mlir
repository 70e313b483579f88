// RUN: not relax-opt %s 2>&1 | filecheck %s

// Two pieces are no three results.

relax.func @f(%x: !relax.tensor<[n], f32>) -> !relax.object {
  %r0, %r1, %r2 = relax.split %x {sections = 2 : i64} : (!relax.tensor<[n], f32>) -> (!relax.tensor<*>, !relax.tensor<*>, !relax.tensor<*>)
  relax.return %r0 : !relax.tensor<*>
}

// CHECK: split_C1_results.mlir:6:19: error: @f: relax.split (%r0, %r1, %r2): expected 2 results for as many pieces (C1), found 3; correct their number{{$}}
