// RUN: not relax-opt %s 2>&1 | filecheck %s

// A maximum is one of floats or integers.

relax.func @main(%a: !relax.tensor<[n, 4], f32>) -> !relax.tensor<[n], f32> {
  %y = relax.compute (%i) in [n] (%x = %a) : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[n], f32> {
    %s = relax.index_max (%k) in [4] {
      %v = arith.constant true
      relax.yield %v : i1
    }
    %w = arith.uitofp %s : i1 to f32
    relax.yield %w : f32
  }
  relax.return %y : !relax.tensor<[n], f32>
}

// CHECK: index_reduce_C4_order.mlir:7:10: error: @main: relax.index_max (%s): expected a float or an integer of more than one bit (C4), found i1; cast it, and the result back{{$}}
