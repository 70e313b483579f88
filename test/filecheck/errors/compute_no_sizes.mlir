// RUN: not relax-opt %s 2>&1 | filecheck %s

// After the indices of a compute come 'in' and the sizes.

relax.func @main(%a: !relax.tensor<[n, 4], f32>) -> !relax.tensor<[n], f32> {
  %y = relax.compute (%i) (%x = %a) : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[n], f32> {
    %c = arith.constant 0 : index
    %v = relax.element %x[%i, %c] : !relax.tensor<[n, 4], f32>
    relax.yield %v : f32
  }
  relax.return %y : !relax.tensor<[n], f32>
}

// CHECK: compute_no_sizes.mlir:6:27: error: relax.compute: expected 'in' and the sizes after the indices, found neither; write relax.compute (%i, %j) in [n, m]{{$}}
