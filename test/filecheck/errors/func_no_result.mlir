// RUN: not relax-opt %s 2>&1 | filecheck %s

// A function says the type of what it gives.

builtin.module {
  relax.func @f(%x: !relax.tensor<[n], f32>) {
    relax.return %x : !relax.tensor<[n], f32>
  }
}

// CHECK: func_no_result.mlir:6:46: error: Expected '->' and the type that @f returns{{$}}
