// RUN: not relax-opt %s 2>&1 | filecheck %s

// Integers are quantized already.

relax.func @f(%x: !relax.tensor<[n, 4], i8>) -> !relax.object {
  %r0, %r1, %r2 = relax.dynamic_quantize %x : (!relax.tensor<[n, 4], i8>) -> (!relax.tensor<*>, !relax.tensor<*>, !relax.tensor<*>)
  relax.return %r0 : !relax.tensor<*>
}

// CHECK: dynamic_quantize_C1.mlir:6:19: error: @f: relax.dynamic_quantize (%r0, %r1, %r2): expected a floating-point element type (C1), found i8; convert with relax.astype first{{$}}
