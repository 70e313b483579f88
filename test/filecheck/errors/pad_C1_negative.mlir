// RUN: not relax-opt %s 2>&1 | filecheck %s

// Padding takes nothing away.

relax.func @f(%x: !relax.tensor<[n], f32>) -> !relax.object {
  %r = relax.pad %x {pad_width = array<i64: -1, 0>} : (!relax.tensor<[n], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: pad_C1_negative.mlir:6:8: error: @f: relax.pad (%r): expected pad_width to be at least 0 (C1), found -1; correct pad_width{{$}}
