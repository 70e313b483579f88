// RUN: relax-opt %s --split-input-file --verify-diagnostics | filecheck %s

// There is no such word.

relax.func @f(%x: !relax.tensor<[4], f32>) -> !relax.object {
  %r0, %r1 = relax.topk %x {ret_type = "all"} : (!relax.tensor<[4], f32>) -> (!relax.tensor<*>, !relax.tensor<*>)
  relax.return %r0 : !relax.tensor<*>
}

// CHECK: error: @f: relax.topk (%r0, %r1): expected ret_type to be one of "both", "values", "indices" (C3), found "all"; correct ret_type{{$}}

// -----

// There are no places to give.

relax.func @f(%x: !relax.tensor<[4], f32>) -> !relax.object {
  %r0, %r1 = relax.topk %x {ret_type = "values"} : (!relax.tensor<[4], f32>) -> (!relax.tensor<*>, !relax.tensor<*>)
  relax.return %r0 : !relax.tensor<*>
}

// CHECK: error: @f: relax.topk (%r0, %r1): expected 1 result (C3), found 2; correct their number{{$}}
