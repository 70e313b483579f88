// RUN: not relax-opt %s 2>&1 | filecheck %s

// It yields one scalar.

relax.func @main(%a: !relax.tensor<[n, 4], f32>) -> !relax.tensor<[n], f32> {
  %y = relax.compute (%i) in [n] (%x = %a) : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[n], f32> {
    %c = arith.constant 0 : index
    %v = relax.element %x[%i, %c] : !relax.tensor<[n, 4], f32>
    relax.yield %v, %v : f32, f32
  }
  relax.return %y : !relax.tensor<[n], f32>
}

// CHECK: compute_C2_count.mlir:6:8: error: @main: relax.compute (%y): expected a region that yields one scalar (C2), found 2 values; yield the value of an element{{$}}
