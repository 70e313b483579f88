// RUN: relax-opt %s | relax-opt | filecheck %s

// CHECK-LABEL: relax.func @static(
// CHECK-NEXT: %ra, %rb = relax.dropout %x : (!relax.tensor<[2, 3], f32>) -> (!relax.tensor<[2, 3], f32>, !relax.tensor<[2, 3], f32>){{$}}
relax.func @static(%x: !relax.tensor<[2, 3], f32>) -> !relax.object {
  %ra, %rb = relax.dropout %x : (!relax.tensor<[2, 3], f32>) -> (!relax.tensor<[2, 3], f32>, !relax.tensor<[2, 3], f32>)
  relax.return %ra : !relax.tensor<[2, 3], f32>
}

// CHECK-LABEL: relax.func @symbolic(
// CHECK-NEXT: %ra, %rb = relax.dropout %x {rate = 2.500000e-01 : f64} : (!relax.tensor<[n, c], f16>) -> (!relax.tensor<[n, c], f16>, !relax.tensor<[n, c], f16>){{$}}
relax.func @symbolic(%x: !relax.tensor<[n, c], f16>) -> !relax.object {
  %ra, %rb = relax.dropout %x {rate = 2.500000e-01 : f64} : (!relax.tensor<[n, c], f16>) -> (!relax.tensor<[n, c], f16>, !relax.tensor<[n, c], f16>)
  relax.return %ra : !relax.tensor<[n, c], f16>
}

// CHECK-LABEL: relax.func @unknown(
// CHECK-NEXT: %ra, %rb = relax.dropout %x : (!relax.tensor<[n, ?]>) -> (!relax.tensor<[n, ?]>, !relax.tensor<[n, ?]>){{$}}
relax.func @unknown(%x: !relax.tensor<[n, ?]>) -> !relax.object {
  %ra, %rb = relax.dropout %x : (!relax.tensor<[n, ?]>) -> (!relax.tensor<[n, ?]>, !relax.tensor<[n, ?]>)
  relax.return %ra : !relax.tensor<[n, ?]>
}
