// RUN: not relax-opt %s 2>&1 | filecheck %s

// A reduction is no part of another one.

relax.func @main(%a: !relax.tensor<[n, 4], f32>) -> !relax.tensor<[n], f32> {
  %y = relax.compute (%i) in [n] (%x = %a) : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[n], f32> {
    %s = relax.index_sum (%k) in [4] {
      %t = relax.index_sum (%l) in [4] {
        %v = relax.element %x[%i, %l] : !relax.tensor<[n, 4], f32>
        relax.yield %v : f32
      }
      relax.yield %t : f32
    }
    relax.yield %s : f32
  }
  relax.return %y : !relax.tensor<[n], f32>
}

// CHECK: compute_C6.mlir:6:8: error: @main: relax.compute (%y): expected reductions that are no part of a branch or of another reduction (C6), found relax.index_sum; write one reduction over all indices, or two of them one after the other{{$}}
