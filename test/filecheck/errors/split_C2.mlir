// RUN: not relax-opt %s 2>&1 | filecheck %s

// No sections hold no tensor.

relax.func @f(%x: !relax.tensor<[n], f32>) -> !relax.object {
  %r = relax.split %x {sections = 0 : i64} : (!relax.tensor<[n], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: split_C2.mlir:6:8: error: @f: relax.split (%r): expected 1 to 4096 sections (C2), found 0; correct sections{{$}}
