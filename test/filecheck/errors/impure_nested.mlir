// RUN: not relax-opt %s 2>&1 | filecheck %s

// A branch in the block with an effect.

relax.func @f(%c: i1, %p: !relax.object, %x: !relax.tensor<[n, 4], f32>) -> !relax.object {
  %o = relax.dataflow {
    %y = scf.if %c -> (!relax.object) {
      %z = relax.call_packed "g"(%x) : (!relax.tensor<[n, 4], f32>) -> !relax.object
      scf.yield %z : !relax.object
    } else {
      scf.yield %p : !relax.object
    }
    relax.output %y : !relax.object
  }
  relax.return %x : !relax.tensor<[n, 4], f32>
}

// CHECK: impure_nested.mlir:7:10: error: @f: scf.if (%y): expected ops without effects in relax.dataflow (E1), found one that has or may have an effect; move it to a relax.binding_block{{$}}
