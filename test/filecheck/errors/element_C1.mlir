// RUN: not relax-opt %s 2>&1 | filecheck %s

// An element is taken in the region of a compute.

relax.func @main(%a: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  %c = arith.constant 0 : index
  %v = relax.element %a[%c] : !relax.tensor<[n], f32>
  relax.return %a : !relax.tensor<[n], f32>
}

// CHECK: element_C1.mlir:7:8: error: @main: relax.element (%v): expected relax.compute around it (C1), found relax.func; a tensor is indexed by relax.take or relax.strided_slice elsewhere{{$}}
