// RUN: not relax-opt %s 2>&1 | filecheck %s

// The sizes of a compute are defined.

relax.func @main(%a: !relax.tensor<[n, 4], f32>) -> !relax.tensor<[?], f32> {
  %y = relax.compute (%i) in [k] (%x = %a) : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[?], f32> {
    %c = arith.constant 0 : index
    %v = relax.element %x[%i, %c] : !relax.tensor<[n, 4], f32>
    relax.yield %v : f32
  }
  relax.return %y : !relax.tensor<[?], f32>
}

// CHECK: compute_symbol.mlir:6:8: error: @main: relax.compute (%y): expected symbolic variables that are defined (S1), found 'k'; define it by a parameter's type, or by a relax.match_cast before this op{{$}}
