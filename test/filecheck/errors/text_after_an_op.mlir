// RUN: not relax-opt %s 2>&1 | filecheck %s

// What follows an op is another one.

relax.func @f(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  relax.return %x : !relax.tensor<[n], f32> : !relax.tensor<[n], f32>
}

// CHECK: text_after_an_op.mlir:6:45: error: expected an op, or '}' after the last one, found neither; correct the text here, or the end of the op before it{{$}}
