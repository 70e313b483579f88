// RUN: not relax-opt %s 2>&1 | filecheck %s

// Another element type.

relax.func @g(%x: !relax.tensor<[n, n], f32>) -> !relax.tensor<[n], f32> {
  %s = relax.shape [n]
  %y = relax.sum %x {axis = array<i64: 0>} : (!relax.tensor<[n, n], f32>) -> !relax.tensor<[n], f32>
  relax.return %y : !relax.tensor<[n], f32>
}
relax.func @f(%x: !relax.tensor<[4, 4], f64>) -> !relax.object {
  %y = relax.call @g(%x) : (!relax.tensor<[4, 4], f64>) -> !relax.object
  relax.return %x : !relax.tensor<[4, 4], f64>
}

// CHECK: call_argument_dtype.mlir:11:8: error: @f: relax.call @g: expected argument 0 of type !relax.tensor<[n, n], f32> (F2), found !relax.tensor<[4, 4], f64>; correct the argument or the parameter{{$}}
