// RUN: relax-opt %s --split-input-file --verify-diagnostics | filecheck %s

// Wider elements need more bytes.

relax.func @f(%x: !relax.tensor<[6], f32>) -> !relax.object {
  %r = relax.view %x {dtype = f64} : (!relax.tensor<[6], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: error: @f: relax.view (%r): expected a view that ends within x (C1), in bytes, found 48 and 24; correct the shape, the element type or the offset{{$}}

// -----

// The last byte is beyond the end.

relax.func @f(%x: !relax.tensor<[6], f32>, %s: !relax.shape<[6]>) -> !relax.object {
  %r = relax.view %x, %s {relative_byte_offset = 1 : i64} : (!relax.tensor<[6], f32>, !relax.shape<[6]>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: error: @f: relax.view (%r): expected a view that ends within x (C1), in bytes, found 25 and 24; correct the shape, the element type or the offset{{$}}
