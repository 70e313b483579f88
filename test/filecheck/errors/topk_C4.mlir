// RUN: not relax-opt %s 2>&1 | filecheck %s

// There are four elements, and no fifth one.

relax.func @f(%x: !relax.tensor<[n, 4], f32>) -> !relax.object {
  %r = relax.topk %x {k = 5 : i64, ret_type = "values"} : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: topk_C4.mlir:6:8: error: @f: relax.topk (%r): expected k to be at most the size of axis 1 (C4), found 5 for a size of 4; correct k; one less than 1 takes all elements{{$}}
