// RUN: not relax-opt %s 2>&1 | filecheck %s

// A size is an index in the region of a compute alone.

relax.func @main(%a: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  %s = relax.index_size [n]
  relax.return %a : !relax.tensor<[n], f32>
}

// CHECK: index_size_C2.mlir:6:8: error: @main: relax.index_size (%s): expected relax.compute around it (C2), found relax.func; a tensor is indexed by relax.take or relax.strided_slice elsewhere{{$}}
