// RUN: not relax-opt %s 2>&1 | filecheck %s

// The region of a compute holds no operators.

relax.func @main(%a: !relax.tensor<[n, 4], f32>) -> !relax.tensor<[n], f32> {
  %y = relax.compute (%i) in [n] (%x = %a) : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[n], f32> {
    %z = relax.exp %x : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4], f32>
    %c = arith.constant 0 : index
    %v = relax.element %x[%i, %c] : !relax.tensor<[n, 4], f32>
    relax.yield %v : f32
  }
  relax.return %y : !relax.tensor<[n], f32>
}

// CHECK: compute_C4.mlir:6:8: error: @main: relax.compute (%y): expected a region that computes with scalars (C4), found relax.exp; compute it outside and pass it, or write arith, math, scf.if, relax.element, relax.index_size and relax.index_sum here{{$}}
