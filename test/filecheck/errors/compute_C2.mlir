// RUN: not relax-opt %s 2>&1 | filecheck %s

// The region of a compute ends in relax.yield.

relax.func @main(%a: !relax.tensor<[n, 4], f32>) -> !relax.tensor<[n], f32> {
  %y = relax.compute (%i) in [n] (%x = %a) : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[n], f32> {
    %c = arith.constant 0 : index
    %v = relax.element %x[%i, %c] : !relax.tensor<[n, 4], f32>
  }
  relax.return %y : !relax.tensor<[n], f32>
}

// CHECK: compute_C2.mlir:6:102: error: relax.compute: expected one block that ends in relax.yield (C2), found one that ends in relax.element; end it with relax.yield and the value that it returns{{$}}
