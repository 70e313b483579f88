// RUN: relax-opt %s --split-input-file --verify-diagnostics | filecheck %s

// There is nothing before x.

relax.func @f(%x: !relax.tensor<[6], f32>) -> !relax.object {
  %r = relax.view %x {relative_byte_offset = -4 : i64} : (!relax.tensor<[6], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: error: @f: relax.view (%r): expected relative_byte_offset to be at least 0 (C2), found -4; correct relative_byte_offset{{$}}
