// RUN: not relax-opt %s 2>&1 | filecheck %s

// The region of a compute knows its operands by names of its own.

relax.func @main(%a: !relax.tensor<[n, 4], f32>) -> !relax.tensor<[n], f32> {
  %y = relax.compute (%i) in [n] (%x = %a) : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[n], f32> {
    %c = arith.constant 0 : index
    %v = relax.element %a[%i, %c] : !relax.tensor<[n, 4], f32>
    relax.yield %v : f32
  }
  relax.return %y : !relax.tensor<[n], f32>
}

// CHECK: compute_C4_outside.mlir:6:8: error: @main: relax.compute (%y): expected a region that uses the operands by names of its own (C4), found %a; pass it, as in (%x = %a), and use that name{{$}}
