// RUN: not relax-opt %s 2>&1 | filecheck %s

// No op defines %y.

relax.func @f(%x: !relax.tensor<[n, 4], f32>) -> !relax.object {
  %z = relax.exp %y : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4], f32>
  relax.return %x : !relax.tensor<[n, 4], f32>
}

// CHECK: value_undefined.mlir:6:18: error: expected values that are defined in their region or around it (V1), found %y, which no op there defines; define it, or pass it out of its block with relax.output{{$}}
