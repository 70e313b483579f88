// RUN: not relax-opt %s 2>&1 | filecheck %s

// Two elements are mirrored once only.

relax.func @f(%x: !relax.tensor<[2], f32>) -> !relax.object {
  %r = relax.pad %x {pad_width = array<i64: 0, 2>, pad_mode = "reflect"} : (!relax.tensor<[2], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: pad_C4.mlir:6:8: error: @f: relax.pad (%r): expected axis 0 to have at least 3 elements for pad_mode "reflect" (C4), found 2; pad less{{$}}
