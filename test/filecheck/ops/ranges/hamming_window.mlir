// RUN: relax-opt %s | relax-opt | filecheck %s

// CHECK-LABEL: relax.func @static(
// CHECK-NEXT: %r = relax.hamming_window %x {periodic = true, alpha = 5.400000e-01 : f64, beta = 4.600000e-01 : f64, dtype = f64} : (!relax.shape<[4]>) -> !relax.tensor<[4], f64>{{$}}
relax.func @static(%x: !relax.shape<[4]>) -> !relax.object {
  %r = relax.hamming_window %x {periodic = true, alpha = 5.400000e-01 : f64, beta = 4.600000e-01 : f64, dtype = f64} : (!relax.shape<[4]>) -> !relax.tensor<[4], f64>
  relax.return %r : !relax.tensor<[4], f64>
}

// CHECK-LABEL: relax.func @symbolic(
// CHECK-NEXT: %r = relax.hamming_window %x {periodic = false, dtype = f16} : (!relax.shape<[2 * n]>) -> !relax.tensor<[2 * n], f16>{{$}}
relax.func @symbolic(%x: !relax.shape<[2 * n]>, %sizes: !relax.shape<[n]>) -> !relax.object {
  %r = relax.hamming_window %x {periodic = false, dtype = f16} : (!relax.shape<[2 * n]>) -> !relax.tensor<[2 * n], f16>
  relax.return %r : !relax.tensor<[2 * n], f16>
}

// CHECK-LABEL: relax.func @defaults(
// CHECK-NEXT: %r = relax.hamming_window %x : (!relax.shape<[n]>) -> !relax.tensor<[n], f32>{{$}}
relax.func @defaults(%x: !relax.shape<[n]>) -> !relax.object {
  %r = relax.hamming_window %x : (!relax.shape<[n]>) -> !relax.tensor<[n], f32>
  relax.return %r : !relax.tensor<[n], f32>
}

// CHECK-LABEL: relax.func @unknown(
// CHECK-NEXT: %r = relax.hamming_window %x : (!relax.shape<*>) -> !relax.tensor<[?], f32>{{$}}
relax.func @unknown(%x: !relax.shape<*>) -> !relax.object {
  %r = relax.hamming_window %x : (!relax.shape<*>) -> !relax.tensor<[?], f32>
  relax.return %r : !relax.tensor<[?], f32>
}
