// RUN: not relax-opt %s 2>&1 | filecheck %s

// A vector is no number.

relax.func @f(%x: !relax.shape<[n]>, %y: !relax.tensor<[1], f32>) -> !relax.object {
  %r = relax.full %x, %y : (!relax.shape<[n]>, !relax.tensor<[1], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: full_C2.mlir:6:8: error: @f: relax.full (%r): expected 'fill_value' of rank 0 (C2), found rank 1; take one element of it{{$}}
