// RUN: relax-opt %s -p relax-specialize-functions | filecheck %s

// A public function asks its caller for the rank of its first match.

// CHECK-LABEL: relax.func @cast(%x: !relax.tensor<[?, ?], f32>)
// CHECK-NEXT:    relax.match_cast %x : !relax.tensor<[?, ?], f32> -> !relax.tensor<[n, m], f32>
relax.func @cast(%x: !relax.tensor<*>) -> !relax.tensor<[?, ?], f32> {
  %y = relax.match_cast %x : !relax.tensor<*> -> !relax.tensor<[n, m], f32>
  relax.return %y : !relax.tensor<[n, m], f32>
}

// Not after an effect, nor by a match in a branch.

// CHECK-LABEL: relax.func @after_an_effect(%x: !relax.tensor<*, f32>)
relax.func @after_an_effect(%x: !relax.tensor<*, f32>) -> !relax.tensor<[?], f32> {
  relax.print %x : (!relax.tensor<*, f32>) -> ()
  %y = relax.match_cast %x : !relax.tensor<*, f32> -> !relax.tensor<[n], f32>
  relax.return %y : !relax.tensor<[n], f32>
}

// CHECK-LABEL: relax.func @in_a_branch(%x: !relax.tensor<*, f32>,
relax.func @in_a_branch(%x: !relax.tensor<*, f32>, %c: !relax.tensor<[], i1>) -> !relax.tensor<*, f32> {
  %r = relax.if %c : (!relax.tensor<[], i1>) -> !relax.tensor<*, f32> {
    %y = relax.match_cast %x : !relax.tensor<*, f32> -> !relax.tensor<[n], f32>
    relax.yield %y : !relax.tensor<[n], f32>
  } else {
    relax.yield %x : !relax.tensor<*, f32>
  }
  relax.return %r : !relax.tensor<*, f32>
}
