// RUN: not relax-opt %s 2>&1 | filecheck %s

// A branch does not hand out a variable that it binds itself, even where one of that name is bound after it.

relax.func @f(%c: !relax.tensor<[], i1>, %x: !relax.tensor<[?], f32>) -> !relax.object {
  %m = relax.match_cast %x : !relax.tensor<[?], f32> -> !relax.tensor<[m], f32>
  %r = relax.if %c : (!relax.tensor<[], i1>) -> !relax.tensor<[m], f32> {
    %a = relax.match_cast %x : !relax.tensor<[?], f32> -> !relax.tensor<[k], f32>
    relax.yield %a : !relax.tensor<[k], f32>
  } else {
    relax.yield %m : !relax.tensor<[m], f32>
  }
  relax.return %r : !relax.tensor<[m], f32>
}

// CHECK: if_branch_variable_hidden.mlir:9:5: error: @f: relax.if (%r): expected branches that yield the result type !relax.tensor<[m], f32> (C3), found !relax.tensor<[?], f32>; declare a type that holds the values of both branches, with '?' where they differ{{$}}
