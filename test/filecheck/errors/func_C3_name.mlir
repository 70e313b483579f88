// RUN: not relax-opt %s 2>&1 | filecheck %s

// Upper bounds are those of variables that the parameters define.

relax.func @f(%x: !relax.tensor<[n, 2 * m], f32>, %y: !relax.shape<[m]>) -> !relax.tensor<[n, 2 * m], f32> attributes {tir_var_upper_bound = {k = 8}} {
  relax.return %x : !relax.tensor<[n, 2 * m], f32>
}

// CHECK: func_C3_name.mlir:5:1: error: relax.func @f: expected tir_var_upper_bound of variables that the parameters define, n, m (C3), found k; correct the name{{$}}
