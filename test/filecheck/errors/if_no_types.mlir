// RUN: not relax-opt %s 2>&1 | filecheck %s

// The types of the condition and of the result stand in front of the branches.

relax.func @f(%c: !relax.tensor<[], i1>, %x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  %y = relax.if %c {
    relax.yield %x : !relax.tensor<[n], f32>
  } else {
    relax.yield %x : !relax.tensor<[n], f32>
  }
  relax.return %y : !relax.tensor<[n], f32>
}

// CHECK: if_no_types.mlir:6:20: error: relax.if: expected ': (C) -> T', the types of the condition and of the result, before the branches, found none; write relax.if %c : (!relax.tensor<[], i1>) -> T { ... }
