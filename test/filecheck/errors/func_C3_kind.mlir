// RUN: not relax-opt %s 2>&1 | filecheck %s

// Upper bounds are integers, by name.

relax.func @f(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> attributes {tir_var_upper_bound = {n = "8"}} {
  relax.return %x : !relax.tensor<[n], f32>
}

// CHECK: func_C3_kind.mlir:5:1: error: relax.func @f: expected tir_var_upper_bound to be a dictionary of integers (C3), found {n = "8"}; write {n = 1024}{{$}}
