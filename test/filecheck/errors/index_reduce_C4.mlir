// RUN: not relax-opt %s 2>&1 | filecheck %s

// Sums are accumulated in types wide enough.

relax.func @main(%a: !relax.tensor<[n, 4], f32>) -> !relax.tensor<[n], f32> {
  %y = relax.compute (%i) in [n] (%x = %a) : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[n], f32> {
    %s = relax.index_sum (%k) in [4] {
      %v = arith.constant 1.0 : f16
      relax.yield %v : f16
    }
    %w = arith.extf %s : f16 to f32
    relax.yield %w : f32
  }
  relax.return %y : !relax.tensor<[n], f32>
}

// CHECK: index_reduce_C4.mlir:7:10: error: @main: relax.index_sum (%s): expected a float of more than 16 bits or an integer of more than one (C4), found f16; cast it, and the result back{{$}}
