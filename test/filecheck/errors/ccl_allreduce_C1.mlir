// RUN: not relax-opt %s 2>&1 | filecheck %s

// An average of integers.

relax.func @f(%x: !relax.tensor<[n], i32>) -> !relax.object {
  %r = relax.ccl.allreduce %x {op_type = "avg"} : (!relax.tensor<[n], i32>) -> !relax.tensor<[n], i32>
  relax.return %r : !relax.tensor<[n], i32>
}

// CHECK: ccl_allreduce_C1.mlir:6:8: error: @f: relax.ccl.allreduce (%r): expected a floating-point element type for "avg" (C1), found i32; convert with relax.astype first, or take the sum{{$}}
