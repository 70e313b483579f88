// RUN: not relax-opt %s 2>&1 | filecheck %s

// The list of sizes is closed.

relax.func @f(%x: !relax.tensor<[n, 4, f32>) -> !relax.object {
  relax.return %x : !relax.tensor<[n, 4, f32>
}

// CHECK: type_unclosed_dims.mlir:5:32: error: tensor type '<[n, 4, f32>': expected ', <element type>' after the shape, found '[n, 4, f32'; write it as in <[n, 4], f32>{{$}}
