// RUN: not relax-opt %s 2>&1 | filecheck %s

// The caller does not know m.

relax.func @f(%x: !relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, m], f32> {
  %y = relax.match_cast %x : !relax.tensor<[n, 4], f32> -> !relax.tensor<[n, m], f32>
  relax.return %y : !relax.tensor<[n, m], f32>
}

// CHECK: symbol_of_body_in_result_type.mlir:5:1: error: @f: expected a result type that names only variables of the parameters (S3), found 'm' in !relax.tensor<[n, m], f32>; write '?' there and let the caller use relax.match_cast{{$}}
