// RUN: not relax-opt %s 2>&1 | filecheck %s

// No such reduction.

relax.func @f(%x: !relax.tensor<[n], f32>) -> !relax.object {
  %r = relax.ccl.allreduce %x {op_type = "xor"} : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  relax.return %r : !relax.tensor<[n], f32>
}

// CHECK: ccl_allreduce_C2.mlir:6:8: error: @f: relax.ccl.allreduce (%r): expected 'op_type' to be one of "sum", "prod", "min", "max", "avg" (C2), found "xor"; correct 'op_type'{{$}}
