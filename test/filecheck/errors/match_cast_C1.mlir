// RUN: not relax-opt %s 2>&1 | filecheck %s

// No tensor is a shape.

relax.func @f(%x: !relax.tensor<[n, 4], f32>) -> !relax.object {
  %y = relax.match_cast %x : !relax.tensor<[n, 4], f32> -> !relax.shape<[n, 4]>
  relax.return %x : !relax.tensor<[n, 4], f32>
}

// CHECK: match_cast_C1.mlir:6:8: error: @f: relax.match_cast (%y): expected a type that a value of !relax.tensor<[n, 4], f32> can have (C1), found !relax.shape<[n, 4]>; correct the target type{{$}}
