// RUN: not relax-opt %s 2>&1 | filecheck %s

// A branch ends in relax.yield.

relax.func @f(%c: !relax.tensor<[], i1>, %x: !relax.tensor<[], f32>) -> !relax.object {
  %r = "relax.if"(%c) ({
    "test.termop"() : () -> ()
  }, {
    relax.yield %x : !relax.tensor<[], f32>
  }) : (!relax.tensor<[], i1>) -> !relax.tensor<[], f32>
  relax.return %r : !relax.tensor<[], f32>
}

// CHECK: if_branch_end_generic.mlir:6:8: error: @f: relax.if (%r): expected branches that end in relax.yield (C2), found test.termop; yield the branch's value{{$}}
