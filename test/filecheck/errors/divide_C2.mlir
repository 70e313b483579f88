// RUN: not relax-opt %s 2>&1 | filecheck %s

// n + 2 is neither 1 nor n + 3.

relax.func @f(%x: !relax.tensor<[n, n + 2], f32>, %y: !relax.tensor<[n, n + 3], f32>) -> !relax.object {
  %r = relax.divide %x, %y : (!relax.tensor<[n, n + 2], f32>, !relax.tensor<[n, n + 3], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: divide_C2.mlir:6:8: error: @f: relax.divide (%r): expected sizes that broadcast: equal, or one of them 1 (C2), found n + 2 and n + 3; reshape or slice one of the operands{{$}}
