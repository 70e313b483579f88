// RUN: not relax-opt %s 2>&1 | filecheck %s

// There is nothing to join.

relax.func @f() -> !relax.object {
  %r = relax.concat {axis = 0 : i64} : () -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: concat_C1_none.mlir:6:8: error: @f: relax.concat (%r): expected one tensor or more (C1), found none; name the tensors{{$}}
