// RUN: not relax-opt %s 2>&1 | filecheck %s

// A tensor type has parameters.

relax.func @f(%x: !relax.tensor) -> !relax.object {
  relax.return %x : !relax.tensor
}

// CHECK: type_no_body.mlir:5:32: error: '<' expected, as in !relax.tensor<[n, 4], f32>{{$}}
