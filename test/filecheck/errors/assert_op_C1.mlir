// RUN: not relax-opt %s 2>&1 | filecheck %s

// A format has one place for each value, the condition not counted.

relax.func @f(%c: !relax.tensor<[], i1>, %x: !relax.tensor<[], f32>) -> !relax.object {
  relax.assert_op %c, %x {format = "wrong"} : (!relax.tensor<[], i1>, !relax.tensor<[], f32>) -> ()
  relax.return %x : !relax.tensor<[], f32>
}

// CHECK: assert_op_C1.mlir:6:3: error: @f: relax.assert_op: expected a format with one {{[{][}]}} for each of 1 values (C1), found "wrong"; write {{[{][}]}} for a value, and {{[{][{] or [}][}]}} for a brace{{$}}
