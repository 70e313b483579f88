// RUN: relax-opt %s | relax-opt | filecheck %s

// CHECK-LABEL: relax.func @static(
// CHECK-NEXT: %r = relax.eye %x {k = 0 : i64, dtype = f32} : (!relax.shape<[3, 3]>) -> !relax.tensor<[3, 3], f32>{{$}}
relax.func @static(%x: !relax.shape<[3, 3]>) -> !relax.object {
  %r = relax.eye %x {k = 0 : i64, dtype = f32} : (!relax.shape<[3, 3]>) -> !relax.tensor<[3, 3], f32>
  relax.return %r : !relax.tensor<[3, 3], f32>
}

// CHECK-LABEL: relax.func @symbolic(
// CHECK-NEXT: %r = relax.eye %x {k = -2 : i64, dtype = i64} : (!relax.shape<[n, m]>) -> !relax.tensor<[n, m], i64>{{$}}
relax.func @symbolic(%x: !relax.shape<[n, m]>) -> !relax.object {
  %r = relax.eye %x {k = -2 : i64, dtype = i64} : (!relax.shape<[n, m]>) -> !relax.tensor<[n, m], i64>
  relax.return %r : !relax.tensor<[n, m], i64>
}

// CHECK-LABEL: relax.func @defaults(
// CHECK-NEXT: %r = relax.eye %x : (!relax.shape<[n, n]>) -> !relax.tensor<[n, n], f32>{{$}}
relax.func @defaults(%x: !relax.shape<[n, n]>) -> !relax.object {
  %r = relax.eye %x : (!relax.shape<[n, n]>) -> !relax.tensor<[n, n], f32>
  relax.return %r : !relax.tensor<[n, n], f32>
}

// CHECK-LABEL: relax.func @unknown(
// CHECK-NEXT: %r = relax.eye %x {dtype = i1} : (!relax.shape<*>) -> !relax.tensor<[?, ?], i1>{{$}}
relax.func @unknown(%x: !relax.shape<*>) -> !relax.object {
  %r = relax.eye %x {dtype = i1} : (!relax.shape<*>) -> !relax.tensor<[?, ?], i1>
  relax.return %r : !relax.tensor<[?, ?], i1>
}
