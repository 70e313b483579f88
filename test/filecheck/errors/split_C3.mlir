// RUN: not relax-opt %s 2>&1 | filecheck %s

// There is no second axis.

relax.func @f(%x: !relax.tensor<[n], f32>) -> !relax.object {
  %r0, %r1 = relax.split %x {sections = 2 : i64, axis = 1 : i64} : (!relax.tensor<[n], f32>) -> (!relax.tensor<*>, !relax.tensor<*>)
  relax.return %r0 : !relax.tensor<*>
}

// CHECK: split_C3.mlir:6:14: error: @f: relax.split (%r0, %r1): expected an axis from -1 to 0 for a tensor of rank 1 (C3), found 1; axes count from zero, negative ones from the end{{$}}
