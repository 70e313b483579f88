// RUN: not relax-opt %s 2>&1 | filecheck %s

// Tensors hold no tensors.

relax.func @f(%a: !relax.tensor<[1, 3, 4, 4], f32>, %b: !relax.shape<[5, 5]>) -> !relax.object {
  %r = relax.resize2d %a, %b {out_dtype = tensor<f32>} : (!relax.tensor<[1, 3, 4, 4], f32>, !relax.shape<[5, 5]>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: resize_C6_dtype.mlir:6:8: error: @f: relax.resize2d (%r): expected an element type that tensors can have (C6), found tensor<f32>; correct out_dtype{{$}}
