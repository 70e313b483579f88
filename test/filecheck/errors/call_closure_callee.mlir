// RUN: not relax-opt %s 2>&1 | filecheck %s

// Only function values are called.

relax.func @f(%x: !relax.tensor<[], f32>) -> !relax.object {
  %r = relax.call_closure %x, %x : (!relax.tensor<[], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[], f32>
  relax.return %r : !relax.tensor<[], f32>
}

// CHECK: call_closure_callee.mlir:6:8: error: @f: relax.call_closure (%r): expected operand 'callee' of kind relax.func, found !relax.tensor<[], f32>; correct the type{{$}}
