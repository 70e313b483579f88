// RUN: not relax-opt %s 2>&1 | filecheck %s

// A condition that is reduced is an i1.

relax.func @main(%a: !relax.tensor<[n, 4], f32>) -> !relax.tensor<[n], f32> {
  %y = relax.compute (%i) in [n] (%x = %a) : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[n], f32> {
    %s = relax.index_any (%k) in [4] {
      %c = arith.constant 0 : index
      %v = relax.element %x[%i, %k] : !relax.tensor<[n, 4], f32>
      relax.yield %v : f32
    }
    relax.yield %s : f32
  }
  relax.return %y : !relax.tensor<[n], f32>
}

// CHECK: index_reduce_C4_truth.mlir:7:10: error: @main: relax.index_any (%s): expected an i1 (C4), found f32; cast it, and the result back{{$}}
