// RUN: not relax-opt %s 2>&1 | filecheck %s

// There is an index for each size.

relax.func @main(%a: !relax.tensor<[n, 4], f32>) -> !relax.tensor<[n], f32> {
  %y = relax.compute (%i, %j) in [n] (%x = %a) : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[n], f32> {
    %c = arith.constant 0 : index
    %v = relax.element %x[%i, %c] : !relax.tensor<[n, 4], f32>
    relax.yield %v : f32
  }
  relax.return %y : !relax.tensor<[n], f32>
}

// CHECK: compute_C1_count.mlir:6:22: error: relax.compute: expected as many indices as sizes, 1 (C1), found 2; write one index for each size, as in (%i, %j) in [n, m]{{$}}
