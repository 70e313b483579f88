// RUN: not relax-opt %s 2>&1 | filecheck %s

// Both regions end in relax.yield.

relax.func @f(%c: !relax.tensor<[], i1>, %x: !relax.tensor<[n], f32>) -> !relax.object {
  %r = "relax.while"(%x) ({
  ^bb0(%a: !relax.tensor<[n], f32>):
    "relax.yield"(%c) : (!relax.tensor<[], i1>) -> ()
  }, {
  ^bb1(%b: !relax.tensor<[n], f32>):
    "test.termop"(%b) : (!relax.tensor<[n], f32>) -> ()
  }) : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  relax.return %r : !relax.tensor<[n], f32>
}

// CHECK: while_end_generic.mlir:6:8: error: @f: relax.while (%r): expected regions that end in relax.yield (C5), found one that ends in test.termop; yield the result of the region{{$}}
