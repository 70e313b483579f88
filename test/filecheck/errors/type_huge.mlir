// RUN: not relax-opt %s 2>&1 | filecheck %s

// A number in a size fits into 64 bits.

relax.func @f(%x: !relax.tensor<[99999999999999999999], f32>) -> !relax.object {
  relax.return %x : !relax.tensor<[99999999999999999999], f32>
}

// CHECK: type_huge.mlir:5:32: error: the size '99999999999999999999...' does not fit in 64 bits{{$}}
