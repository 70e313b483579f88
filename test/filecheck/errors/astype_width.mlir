// RUN: not relax-opt %s 2>&1 | filecheck %s

// Relax knows no such width.

relax.func @f(%x: !relax.tensor<[4], f32>) -> !relax.object {
  %r = relax.astype %x {dtype = i7} : (!relax.tensor<[4], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: astype_width.mlir:6:8: error: @f: relax.astype (%r): expected a floating-point or integer type that tensors can have (C1), found i7; name one, such as f32 or i32{{$}}
