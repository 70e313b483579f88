// RUN: not relax-opt %s 2>&1 | filecheck %s

// A symbolic variable of the body is not defined after the loop.

relax.func @f(%c: !relax.tensor<[], i1>, %x: !relax.tensor<[?], f32>) -> !relax.object {
  %r = relax.while (%a = %x) : (!relax.tensor<[?], f32>) -> !relax.tensor<[?], f32> {
    relax.yield %c : !relax.tensor<[], i1>
  } do {
    %y = relax.match_cast %a : !relax.tensor<[?], f32> -> !relax.tensor<[m], f32>
    relax.yield %y : !relax.tensor<[m], f32>
  }
  %s = relax.shape [m]
  relax.return %s : !relax.shape<[m]>
}

// CHECK: while_variable_hidden.mlir:12:8: error: @f: relax.shape (%s): expected symbolic variables that are defined (S1), found 'm'; define it by a parameter's type, or by a relax.match_cast before this op{{$}}
