// RUN: not relax-opt %s 2>&1 | filecheck %s

// It has a result.

relax.func @main(%a: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  relax.compute (%i) in [n] (%x = %a) : (!relax.tensor<[n], f32>) -> () {
    relax.yield
  }
  relax.return %a : !relax.tensor<[n], f32>
}

// CHECK: compute_C2_none.mlir:6:3: error: @main: relax.compute: expected at least one result (C2), found no result; yield the value of an element{{$}}
