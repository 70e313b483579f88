// RUN: not relax-opt %s 2>&1 | filecheck %s

// Elements that scalars compute with are signless.

relax.func @main(%a: !relax.tensor<[n], ui8>) -> !relax.tensor<[n], f32> {
  %y = relax.compute (%i) in [n] (%x = %a) : (!relax.tensor<[n], ui8>) -> !relax.tensor<[n], f32> {
    %v = relax.element %x[%i] : !relax.tensor<[n], ui8>
    %w = arith.constant 1.0 : f32
    relax.yield %w : f32
  }
  relax.return %y : !relax.tensor<[n], f32>
}

// CHECK: element_C3.mlir:7:10: error: @main: relax.element (%v): expected a tensor of known rank with elements that are floats or signless integers (C3), found !relax.tensor<[n], ui8>; cast it before it is passed to relax.compute, with relax.match_cast or relax.astype{{$}}
