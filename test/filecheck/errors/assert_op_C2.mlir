// RUN: not relax-opt %s 2>&1 | filecheck %s

// The condition of an assertion is one boolean.

relax.func @f(%c: !relax.tensor<[2], i1>) -> !relax.object {
  relax.assert_op %c : (!relax.tensor<[2], i1>) -> ()
  relax.return %c : !relax.tensor<[2], i1>
}

// CHECK: assert_op_C2.mlir:6:3: error: @f: relax.assert_op: expected a condition of type i1 or !relax.tensor<[], i1> (C2), found !relax.tensor<[2], i1>; reduce the condition to one boolean{{$}}
