// RUN: not relax-opt %s 2>&1 | filecheck %s

// There is no third axis.

relax.func @f(%x: !relax.tensor<[n, 4], f32>) -> !relax.object {
  %r = relax.trace %x {axis2 = 2 : i64} : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: trace_C2.mlir:6:8: error: @f: relax.trace (%r): expected an axis from -2 to 1 for a tensor of rank 2 (C2), found 2; axes count from zero, negative ones from the end{{$}}
