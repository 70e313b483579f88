// RUN: not relax-opt %s 2>&1 | filecheck %s

// The declared result type is narrower than the value.

relax.func @f(%x: !relax.tensor<[?], f32>) -> !relax.tensor<[4], f32> {
  relax.return %x : !relax.tensor<[?], f32>
}

// CHECK: narrowing_return.mlir:6:3: error: @f: relax.return: expected a value of the declared result type !relax.tensor<[4], f32> (C2), found !relax.tensor<[?], f32>; correct the result type, or narrow the value with a relax.match_cast{{$}}
