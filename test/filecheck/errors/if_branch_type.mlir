// RUN: not relax-opt %s 2>&1 | filecheck %s

// What a branch yields is of the declared type.

relax.func @f(%c: !relax.tensor<[], i1>, %x: !relax.tensor<[n, 4], f32>, %y: !relax.tensor<[n, 8], f32>) -> !relax.object {
  %r = relax.if %c : (!relax.tensor<[], i1>) -> !relax.tensor<[n, 4], f32> {
    relax.yield %x : !relax.tensor<[n, 4], f32>
  } else {
    relax.yield %y : !relax.tensor<[n, 8], f32>
  }
  relax.return %r : !relax.tensor<[n, 4], f32>
}

// CHECK: if_branch_type.mlir:9:5: error: @f: relax.if (%r): expected branches that yield the result type !relax.tensor<[n, 4], f32> (C3), found !relax.tensor<[n, 8], f32>; declare a type that holds the values of both branches, with '?' where they differ{{$}}
