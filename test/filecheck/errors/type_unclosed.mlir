// RUN: not relax-opt %s 2>&1 | filecheck %s

// A type is closed.

relax.func @f(%x: !relax.tensor<[4], f32) -> !relax.object {
  relax.return %x : !relax.tensor<[4], f32
}

// CHECK: type_unclosed.mlir:5:32: error: '>' expected at the end of the type, as in !relax.tensor<[n, 4], f32>{{$}}
