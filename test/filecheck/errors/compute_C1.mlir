// RUN: not relax-opt %s 2>&1 | filecheck %s

// Every size of a compute is known.

relax.func @main(%a: !relax.tensor<[n, 4], f32>) -> !relax.tensor<[?], f32> {
  %y = relax.compute (%i) in [?] (%x = %a) : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[?], f32> {
    %c = arith.constant 0 : index
    %v = relax.element %x[%i, %c] : !relax.tensor<[n, 4], f32>
    relax.yield %v : f32
  }
  relax.return %y : !relax.tensor<[?], f32>
}

// CHECK: compute_C1.mlir:6:8: error: @main: relax.compute (%y): expected sizes that are symbolic expressions (C1), found [?]; name every size{{$}}
