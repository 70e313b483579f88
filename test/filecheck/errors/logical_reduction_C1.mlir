// RUN: not relax-opt %s 2>&1 | filecheck %s

// Numbers are no truth values.

relax.func @f(%x: !relax.tensor<[4], f32>) -> !relax.object {
  %r = relax.all %x : (!relax.tensor<[4], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: logical_reduction_C1.mlir:6:8: error: @f: relax.all (%r): expected a boolean element type (C1), found f32; compare with 0 by relax.not_equal, or convert with relax.astype, first{{$}}
