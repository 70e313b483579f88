// RUN: not relax-opt %s 2>&1 | filecheck %s

// A symbolic variable bound in a branch is not defined after it.

relax.func @f(%c: !relax.tensor<[], i1>, %x: !relax.tensor<[?], f32>) -> !relax.object {
  %r = relax.if %c : (!relax.tensor<[], i1>) -> !relax.tensor<[?], f32> {
    %a = relax.match_cast %x : !relax.tensor<[?], f32> -> !relax.tensor<[m], f32>
    relax.yield %a : !relax.tensor<[m], f32>
  } else {
    relax.yield %x : !relax.tensor<[?], f32>
  }
  %s = relax.shape [m]
  relax.return %s : !relax.shape<[m]>
}

// CHECK: symbol_of_branch.mlir:12:8: error: @f: relax.shape (%s): expected symbolic variables that are defined (S1), found 'm'; define it by a parameter's type, or by a relax.match_cast before this op{{$}}
