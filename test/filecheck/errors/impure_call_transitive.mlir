// RUN: not relax-opt %s 2>&1 | filecheck %s

// So does one that calls such a function.

relax.func @g(%x: !relax.tensor<[n, 4], f32>) -> !relax.object {
  %y = relax.call_packed "print"(%x) : (!relax.tensor<[n, 4], f32>) -> !relax.object
  relax.return %y : !relax.object
}
relax.func @h(%x: !relax.tensor<[n, 4], f32>) -> !relax.object {
  %y = relax.call @g(%x) : (!relax.tensor<[n, 4], f32>) -> !relax.object
  relax.return %y : !relax.object
}
relax.func @f(%x: !relax.tensor<[n, 4], f32>) -> !relax.object {
  %o = relax.dataflow {
    %y = relax.call @h(%x) : (!relax.tensor<[n, 4], f32>) -> !relax.object
    relax.output %y : !relax.object
  }
  relax.return %x : !relax.tensor<[n, 4], f32>
}

// CHECK: impure_call_transitive.mlir:15:10: error: @f: relax.call (%y): expected ops without effects in relax.dataflow (E1), found one that has or may have an effect; move it to a relax.binding_block{{$}}
