// RUN: not relax-opt %s 2>&1 | filecheck %s

// An element has one index for each dimension.

relax.func @main(%a: !relax.tensor<[n, 4], f32>) -> !relax.tensor<[n], f32> {
  %y = relax.compute (%i) in [n] (%x = %a) : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[n], f32> {
    %v = relax.element %x[%i] : !relax.tensor<[n, 4], f32>
    relax.yield %v : f32
  }
  relax.return %y : !relax.tensor<[n], f32>
}

// CHECK: element_C2.mlir:7:10: error: @main: relax.element (%v): expected one index for each dimension of !relax.tensor<[n, 4], f32> (C2), found 1; write 2 indices{{$}}
