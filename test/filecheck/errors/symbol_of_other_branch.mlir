// RUN: not relax-opt %s 2>&1 | filecheck %s

// A symbolic variable bound in a branch is not defined in the other one.

relax.func @f(%c: !relax.tensor<[], i1>, %x: !relax.tensor<[?], f32>) -> !relax.object {
  %r = relax.if %c : (!relax.tensor<[], i1>) -> !relax.object {
    %a = relax.match_cast %x : !relax.tensor<[?], f32> -> !relax.tensor<[m], f32>
    relax.yield %a : !relax.tensor<[m], f32>
  } else {
    %s = relax.shape [m]
    relax.yield %s : !relax.shape<[m]>
  }
  relax.return %r : !relax.object
}

// CHECK: symbol_of_other_branch.mlir:10:10: error: @f: relax.shape (%s): expected symbolic variables that are defined (S1), found 'm'; define it by a parameter's type, or by a relax.match_cast before this op{{$}}
