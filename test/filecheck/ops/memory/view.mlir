// RUN: relax-opt %s | relax-opt | filecheck %s

// CHECK-LABEL: relax.func @same(
// CHECK-NEXT: %r = relax.view %x : (!relax.tensor<[2, 3], f32>) -> !relax.tensor<[2, 3], f32>{{$}}
relax.func @same(%x: !relax.tensor<[2, 3], f32>) -> !relax.object {
  %r = relax.view %x : (!relax.tensor<[2, 3], f32>) -> !relax.tensor<[2, 3], f32>
  relax.return %r : !relax.tensor<[2, 3], f32>
}

// CHECK-LABEL: relax.func @type(
// CHECK-NEXT: %r = relax.view %x {dtype = i32} : (!relax.tensor<[n, 3], f32>) -> !relax.tensor<[n, 3], i32>{{$}}
relax.func @type(%x: !relax.tensor<[n, 3], f32>) -> !relax.object {
  %r = relax.view %x {dtype = i32} : (!relax.tensor<[n, 3], f32>) -> !relax.tensor<[n, 3], i32>
  relax.return %r : !relax.tensor<[n, 3], i32>
}

// CHECK-LABEL: relax.func @shape(
// CHECK-NEXT: %r = relax.view %x, %s : (!relax.tensor<[n, 4], f32>, !relax.shape<[2 * n]>) -> !relax.tensor<[2 * n], f32>{{$}}
relax.func @shape(%x: !relax.tensor<[n, 4], f32>, %s: !relax.shape<[2 * n]>) -> !relax.object {
  %r = relax.view %x, %s : (!relax.tensor<[n, 4], f32>, !relax.shape<[2 * n]>) -> !relax.tensor<[2 * n], f32>
  relax.return %r : !relax.tensor<[2 * n], f32>
}

// CHECK-LABEL: relax.func @bytes(
// CHECK-NEXT: %r = relax.view %x, %s {dtype = ui8, relative_byte_offset = 16 : i64} : (!relax.tensor<[6, 4], f32>, !relax.shape<[80]>) -> !relax.tensor<[80], ui8>{{$}}
relax.func @bytes(%x: !relax.tensor<[6, 4], f32>, %s: !relax.shape<[80]>) -> !relax.object {
  %r = relax.view %x, %s {dtype = ui8, relative_byte_offset = 16 : i64} : (!relax.tensor<[6, 4], f32>, !relax.shape<[80]>) -> !relax.tensor<[80], ui8>
  relax.return %r : !relax.tensor<[80], ui8>
}

// CHECK-LABEL: relax.func @unknown(
// CHECK-NEXT: %r = relax.view %x, %s {dtype = f16} : (!relax.tensor<*>, !relax.shape<[?, k]>) -> !relax.tensor<[?, k], f16>{{$}}
relax.func @unknown(%x: !relax.tensor<*>, %s: !relax.shape<[?, k]>) -> !relax.object {
  %r = relax.view %x, %s {dtype = f16} : (!relax.tensor<*>, !relax.shape<[?, k]>) -> !relax.tensor<[?, k], f16>
  relax.return %r : !relax.tensor<[?, k], f16>
}

// CHECK-LABEL: relax.func @unknown_type(
// CHECK-NEXT: %r = relax.view %x {relative_byte_offset = 3 : i64} : (!relax.tensor<[?]>) -> !relax.tensor<[?]>{{$}}
relax.func @unknown_type(%x: !relax.tensor<[?]>) -> !relax.object {
  %r = relax.view %x {relative_byte_offset = 3 : i64} : (!relax.tensor<[?]>) -> !relax.tensor<[?]>
  relax.return %r : !relax.tensor<[?]>
}
