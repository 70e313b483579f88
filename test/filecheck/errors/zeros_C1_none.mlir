// RUN: not relax-opt %s 2>&1 | filecheck %s

// Zeros of which type?

relax.func @f(%x: !relax.shape<[n]>) -> !relax.object {
  %r = relax.zeros %x : (!relax.shape<[n]>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: zeros_C1_none.mlir:6:8: error: @f: relax.zeros (%r): expected an element type for the result (C1), found none; write dtype, such as f32{{$}}
