// RUN: not relax-opt %s 2>&1 | filecheck %s

// It yields a scalar for each result.

relax.func @main(%a: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  %y, %z = relax.compute (%i) in [n] (%x = %a) : (!relax.tensor<[n], f32>) -> (!relax.tensor<[n], f32>, !relax.tensor<[n], f32>) {
    %v = relax.element %x[%i] : !relax.tensor<[n], f32>
    relax.yield %v : f32
  }
  relax.return %y : !relax.tensor<[n], f32>
}

// CHECK: compute_C2_each.mlir:6:12: error: @main: relax.compute (%y, %z): expected a region that yields a scalar for each of 2 results (C2), found 1 values; yield the value of an element{{$}}
