// RUN: not relax-opt %s 2>&1 | filecheck %s

// There is no second axis.

relax.func @f(%x: !relax.tensor<[n], f32>, %y: !relax.tensor<[m], f32>) -> !relax.object {
  %r = relax.concat %x, %y {axis = 1 : i64} : (!relax.tensor<[n], f32>, !relax.tensor<[m], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: concat_C3.mlir:6:8: error: @f: relax.concat (%r): expected an axis from -1 to 0 for a tensor of rank 1 (C3), found 1; axes count from zero, negative ones from the end{{$}}
