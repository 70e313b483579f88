// RUN: not relax-opt %s 2>&1 | filecheck %s

// As many initial values as results.

relax.func @f(%c: !relax.tensor<[], i1>, %x: !relax.tensor<[n], f32>) -> !relax.object {
  %r:2 = "relax.while"(%x) ({
  ^bb0(%a: !relax.tensor<[n], f32>, %b: !relax.tensor<[n], f32>):
    "relax.yield"(%c) : (!relax.tensor<[], i1>) -> ()
  }, {
  ^bb1(%d: !relax.tensor<[n], f32>, %e: !relax.tensor<[n], f32>):
    "relax.yield"(%d, %e) : (!relax.tensor<[n], f32>, !relax.tensor<[n], f32>) -> ()
  }) : (!relax.tensor<[n], f32>) -> (!relax.tensor<[n], f32>, !relax.tensor<[n], f32>)
  relax.return %r#0 : !relax.tensor<[n], f32>
}

// CHECK: while_C2_initial.mlir:6:10: error: @f: relax.while (%r, %r): expected one initial value for each of 2 results (C2), found 1; write as many as the state has values{{$}}
