// RUN: not relax-opt %s 2>&1 | filecheck %s

// A grid without axes.

relax.func @f() -> !relax.object {
  %r = relax.meshgrid {indexing = "ij"} : () -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: meshgrid_C1_none.mlir:6:8: error: @f: relax.meshgrid (%r): expected one tensor or more (C1), found none; name the tensors{{$}}
