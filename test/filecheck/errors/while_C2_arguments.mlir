// RUN: not relax-opt %s 2>&1 | filecheck %s

// Both regions get the state.

relax.func @f(%c: !relax.tensor<[], i1>, %x: !relax.tensor<[n], f32>) -> !relax.object {
  %r = "relax.while"(%x) ({
  ^bb0(%a: !relax.tensor<[?], f32>):
    "relax.yield"(%c) : (!relax.tensor<[], i1>) -> ()
  }, {
  ^bb1(%b: !relax.tensor<[n], f32>):
    "relax.yield"(%b) : (!relax.tensor<[n], f32>) -> ()
  }) : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  relax.return %r : !relax.tensor<[n], f32>
}

// CHECK: while_C2_arguments.mlir:6:8: error: @f: relax.while (%r): expected a condition with the arguments (!relax.tensor<[n], f32>), as the results (C2), found (!relax.tensor<[?], f32>); change the two together{{$}}
