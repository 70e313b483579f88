// RUN: not relax-opt %s 2>&1 | filecheck %s

// Every axis has two ends.

relax.func @f(%x: !relax.tensor<*, f32>) -> !relax.object {
  %r = relax.pad %x {pad_width = array<i64: 1, 1, 2>} : (!relax.tensor<*, f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: pad_C1_odd.mlir:6:8: error: @f: relax.pad (%r): expected an even number of numbers in pad_width (C1), found [1, 1, 2]; write two for each axis{{$}}
