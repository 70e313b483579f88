// RUN: not relax-opt %s 2>&1 | filecheck %s

// A branch does not hand out a variable that it binds itself, even one of the same name in both.

relax.func @f(%c: !relax.tensor<[], i1>, %x: !relax.tensor<[?], f32>) -> !relax.object {
  %r = relax.if %c : (!relax.tensor<[], i1>) -> !relax.tensor<[m], f32> {
    %a = relax.match_cast %x : !relax.tensor<[?], f32> -> !relax.tensor<[m], f32>
    relax.yield %a : !relax.tensor<[m], f32>
  } else {
    %b = relax.match_cast %x : !relax.tensor<[?], f32> -> !relax.tensor<[m], f32>
    relax.yield %b : !relax.tensor<[m], f32>
  }
  relax.return %x : !relax.tensor<[?], f32>
}

// CHECK: if_branch_type_variable.mlir:6:8: error: @f: relax.if (%r): expected symbolic variables that are defined (S1), found 'm'; define it by a parameter's type, or by a relax.match_cast before this op{{$}}
