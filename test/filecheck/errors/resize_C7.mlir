// RUN: not relax-opt %s 2>&1 | filecheck %s

// There is nothing to take.

relax.func @f(%a: !relax.tensor<[1, 3, 0, 4], f32>, %b: !relax.shape<[5, 5]>) -> !relax.object {
  %r = relax.resize2d %a, %b : (!relax.tensor<[1, 3, 0, 4], f32>, !relax.shape<[5, 5]>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: resize_C7.mlir:6:8: error: @f: relax.resize2d (%r): expected x to have 1 or more elements along H (C7), found 0; leave the operator out for empty images{{$}}
