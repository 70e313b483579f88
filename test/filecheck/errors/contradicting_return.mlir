// RUN: not relax-opt %s 2>&1 | filecheck %s

// The declared result type is another one.

relax.func @f(%x: !relax.tensor<[3], f32>) -> !relax.tensor<[4], f32> {
  relax.return %x : !relax.tensor<[3], f32>
}

// CHECK: contradicting_return.mlir:6:3: error: @f: relax.return: expected a value of the declared result type !relax.tensor<[4], f32> (C2), found !relax.tensor<[3], f32>; correct the result type, or narrow the value with a relax.match_cast{{$}}
