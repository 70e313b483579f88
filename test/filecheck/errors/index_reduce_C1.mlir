// RUN: not relax-opt %s 2>&1 | filecheck %s

// A reduction runs over an index for each size, one or more.

relax.func @main(%a: !relax.tensor<[n, 4], f32>) -> !relax.tensor<[n], f32> {
  %y = relax.compute (%i) in [n] (%x = %a) : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[n], f32> {
    %s = relax.index_sum () in [] {
      %v = arith.constant 1.0 : f32
      relax.yield %v : f32
    }
    relax.yield %s : f32
  }
  relax.return %y : !relax.tensor<[n], f32>
}

// CHECK: index_reduce_C1.mlir:7:10: error: @main: relax.index_sum (%s): expected one or more indices and nothing else (C1), found (); write one for each size{{$}}
