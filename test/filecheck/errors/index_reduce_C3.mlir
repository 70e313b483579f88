// RUN: not relax-opt %s 2>&1 | filecheck %s

// A reduction over indices is in the region of a compute.

relax.func @main(%a: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  %s = relax.index_sum (%k) in [4] {
    %v = arith.constant 1.0 : f32
    relax.yield %v : f32
  }
  relax.return %a : !relax.tensor<[n], f32>
}

// CHECK: index_reduce_C3.mlir:6:8: error: @main: relax.index_sum (%s): expected relax.compute around it (C3), found relax.func; a tensor is indexed by relax.take or relax.strided_slice elsewhere{{$}}
