// RUN: not relax-opt %s 2>&1 | filecheck %s

// The condition of an `if` is one boolean.

relax.func @f(%c: !relax.tensor<[], f32>) -> !relax.object {
  %r = relax.if %c : (!relax.tensor<[], f32>) -> !relax.tensor<[], f32> {
    relax.yield %c : !relax.tensor<[], f32>
  } else {
    relax.yield %c : !relax.tensor<[], f32>
  }
  relax.return %r : !relax.tensor<[], f32>
}

// CHECK: if_C1.mlir:6:8: error: @f: relax.if (%r): expected a condition of type i1 or !relax.tensor<[], i1> (C1), found !relax.tensor<[], f32>; reduce the condition to one boolean{{$}}
