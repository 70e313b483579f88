// RUN: not relax-opt %s 2>&1 | filecheck %s

// A matrix has four sides.

relax.func @f(%x: !relax.tensor<[n, m], f32>) -> !relax.object {
  %r = relax.pad %x {pad_width = array<i64: 1, 1>} : (!relax.tensor<[n, m], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: pad_C1_count.mlir:6:8: error: @f: relax.pad (%r): expected 4 numbers in pad_width for a tensor of rank 2 (C1), found [1, 1]; write two for each axis{{$}}
