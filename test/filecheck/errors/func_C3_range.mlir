// RUN: not relax-opt %s 2>&1 | filecheck %s

// Upper bounds are sizes.

relax.func @f(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> attributes {tir_var_upper_bound = {n = -1}} {
  relax.return %x : !relax.tensor<[n], f32>
}

// CHECK: func_C3_range.mlir:5:1: error: relax.func @f: expected tir_var_upper_bound from 0 to 281474976710656 (C3), found n = -1; correct the number{{$}}
