// RUN: not relax-opt %s 2>&1 | filecheck %s

// That a function is a checkpoint has no value.

relax.func private @f(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> attributes {checkpoint = "all"} {
  relax.return %x : !relax.tensor<[n], f32>
}

// CHECK: func_C5.mlir:5:1: error: relax.func @f: expected 'checkpoint' without a value (C5), found "all"; write attributes {checkpoint}, or leave it out{{$}}
