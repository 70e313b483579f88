// RUN: not relax-opt %s 2>&1 | filecheck %s

// The type of an element's tensor is written.

relax.func @main(%a: !relax.tensor<[n, 4], f32>) -> !relax.tensor<[n], f32> {
  %y = relax.compute (%i) in [n] (%x = %a) : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[n], f32> {
    %c = arith.constant 0 : index
    %v = relax.element %x[%i, %c] : f32
    relax.yield %v : f32
  }
  relax.return %y : !relax.tensor<[n], f32>
}

// CHECK: element_no_tensor.mlir:8:37: error: relax.element: expected the type of a tensor, found f32; write that of the tensor, from which the type of the element follows{{$}}
