// RUN: not relax-opt %s 2>&1 | filecheck %s

// Numbers in sizes leave room for sums.

relax.func @main(%a: !relax.tensor<[n, 4], f32>) -> !relax.tensor<[n], f32> {
  %y = relax.compute (%i) in [n] (%x = %a) : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[n], f32> {
    %c = arith.constant 0 : index
    %s = relax.index_size [n + 4611686018427387905]
    %v = relax.element %x[%i, %c] : !relax.tensor<[n, 4], f32>
    relax.yield %v : f32
  }
  relax.return %y : !relax.tensor<[n], f32>
}

// CHECK: index_size_C1.mlir:8:10: error: @main: relax.index_size (%s): expected numbers of at most 2^62 (C1), found n + 4611686018427387905; compute with arith on i64{{$}}
