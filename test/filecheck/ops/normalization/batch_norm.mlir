// RUN: relax-opt %s | relax-opt | filecheck %s
// RUN: relax-opt %s --print-op-generic | relax-opt | filecheck %s
// RUN: relax-opt %s --print-op-generic | filecheck %s --check-prefix GENERIC

// CHECK-LABEL: relax.func @static(
// CHECK-NEXT: %ra, %rb, %rc = relax.batch_norm %x, %gamma, %beta, %mean, %var {axis = 1 : i64} : (!relax.tensor<[2, 3, 8, 8], f32>, !relax.tensor<[3], f32>, !relax.tensor<[3], f32>, !relax.tensor<[3], f32>, !relax.tensor<[3], f32>) -> (!relax.tensor<[2, 3, 8, 8], f32>, !relax.tensor<[3], f32>, !relax.tensor<[3], f32>){{$}}
// GENERIC: %ra, %rb, %rc = "relax.batch_norm"(%x, %gamma, %beta, %mean, %var) <{axis = 1 : i64}> : (!relax.tensor<[2, 3, 8, 8], f32>, !relax.tensor<[3], f32>, !relax.tensor<[3], f32>, !relax.tensor<[3], f32>, !relax.tensor<[3], f32>) -> (!relax.tensor<[2, 3, 8, 8], f32>, !relax.tensor<[3], f32>, !relax.tensor<[3], f32>){{$}}
relax.func @static(%x: !relax.tensor<[2, 3, 8, 8], f32>, %gamma: !relax.tensor<[3], f32>, %beta: !relax.tensor<[3], f32>, %mean: !relax.tensor<[3], f32>, %var: !relax.tensor<[3], f32>) -> !relax.object {
  %ra, %rb, %rc = relax.batch_norm %x, %gamma, %beta, %mean, %var {axis = 1 : i64} : (!relax.tensor<[2, 3, 8, 8], f32>, !relax.tensor<[3], f32>, !relax.tensor<[3], f32>, !relax.tensor<[3], f32>, !relax.tensor<[3], f32>) -> (!relax.tensor<[2, 3, 8, 8], f32>, !relax.tensor<[3], f32>, !relax.tensor<[3], f32>)
  relax.return %ra : !relax.tensor<[2, 3, 8, 8], f32>
}

// CHECK-LABEL: relax.func @symbolic(
// CHECK-NEXT: %ra, %rb, %rc = relax.batch_norm %x, %gamma, %beta, %mean, %var {axis = -1 : i64, epsilon = 1.000000e-03 : f64} : (!relax.tensor<[n, h, w, c], f16>, !relax.tensor<[c], f16>, !relax.tensor<[c], f16>, !relax.tensor<[c], f16>, !relax.tensor<[c], f16>) -> (!relax.tensor<[n, h, w, c], f16>, !relax.tensor<[c], f16>, !relax.tensor<[c], f16>){{$}}
// GENERIC: %ra, %rb, %rc = "relax.batch_norm"(%x, %gamma, %beta, %mean, %var) <{axis = -1 : i64, epsilon = 1.000000e-03 : f64}> : (!relax.tensor<[n, h, w, c], f16>, !relax.tensor<[c], f16>, !relax.tensor<[c], f16>, !relax.tensor<[c], f16>, !relax.tensor<[c], f16>) -> (!relax.tensor<[n, h, w, c], f16>, !relax.tensor<[c], f16>, !relax.tensor<[c], f16>){{$}}
relax.func @symbolic(%x: !relax.tensor<[n, h, w, c], f16>, %gamma: !relax.tensor<[c], f16>, %beta: !relax.tensor<[c], f16>, %mean: !relax.tensor<[c], f16>, %var: !relax.tensor<[c], f16>) -> !relax.object {
  %ra, %rb, %rc = relax.batch_norm %x, %gamma, %beta, %mean, %var {axis = -1 : i64, epsilon = 1.000000e-03 : f64} : (!relax.tensor<[n, h, w, c], f16>, !relax.tensor<[c], f16>, !relax.tensor<[c], f16>, !relax.tensor<[c], f16>, !relax.tensor<[c], f16>) -> (!relax.tensor<[n, h, w, c], f16>, !relax.tensor<[c], f16>, !relax.tensor<[c], f16>)
  relax.return %ra : !relax.tensor<[n, h, w, c], f16>
}

// CHECK-LABEL: relax.func @inference(
// CHECK-NEXT: %ra, %rb, %rc = relax.batch_norm %x, %gamma, %beta, %mean, %var {axis = 1 : i64, center = false, scale = false, training = false} : (!relax.tensor<[n, c], f32>, !relax.tensor<[c], f32>, !relax.tensor<[c], f32>, !relax.tensor<[c], f32>, !relax.tensor<[c], f32>) -> (!relax.tensor<[n, c], f32>, !relax.tensor<[c], f32>, !relax.tensor<[c], f32>){{$}}
// GENERIC: %ra, %rb, %rc = "relax.batch_norm"(%x, %gamma, %beta, %mean, %var) <{axis = 1 : i64, center = false, scale = false, training = false}> : (!relax.tensor<[n, c], f32>, !relax.tensor<[c], f32>, !relax.tensor<[c], f32>, !relax.tensor<[c], f32>, !relax.tensor<[c], f32>) -> (!relax.tensor<[n, c], f32>, !relax.tensor<[c], f32>, !relax.tensor<[c], f32>){{$}}
relax.func @inference(%x: !relax.tensor<[n, c], f32>, %gamma: !relax.tensor<[c], f32>, %beta: !relax.tensor<[c], f32>, %mean: !relax.tensor<[c], f32>, %var: !relax.tensor<[c], f32>) -> !relax.object {
  %ra, %rb, %rc = relax.batch_norm %x, %gamma, %beta, %mean, %var {axis = 1 : i64, center = false, scale = false, training = false} : (!relax.tensor<[n, c], f32>, !relax.tensor<[c], f32>, !relax.tensor<[c], f32>, !relax.tensor<[c], f32>, !relax.tensor<[c], f32>) -> (!relax.tensor<[n, c], f32>, !relax.tensor<[c], f32>, !relax.tensor<[c], f32>)
  relax.return %ra : !relax.tensor<[n, c], f32>
}

// CHECK-LABEL: relax.func @unknown_dim(
// CHECK-NEXT: %ra, %rb, %rc = relax.batch_norm %x, %gamma, %beta, %mean, %var {axis = 1 : i64, momentum = 2.500000e-01 : f64} : (!relax.tensor<[n, ?], f32>, !relax.tensor<[c], f32>, !relax.tensor<[c], f32>, !relax.tensor<[c], f32>, !relax.tensor<[c], f32>) -> (!relax.tensor<[n, ?], f32>, !relax.tensor<[c], f32>, !relax.tensor<[c], f32>){{$}}
// GENERIC: %ra, %rb, %rc = "relax.batch_norm"(%x, %gamma, %beta, %mean, %var) <{axis = 1 : i64, momentum = 2.500000e-01 : f64}> : (!relax.tensor<[n, ?], f32>, !relax.tensor<[c], f32>, !relax.tensor<[c], f32>, !relax.tensor<[c], f32>, !relax.tensor<[c], f32>) -> (!relax.tensor<[n, ?], f32>, !relax.tensor<[c], f32>, !relax.tensor<[c], f32>){{$}}
relax.func @unknown_dim(%x: !relax.tensor<[n, ?], f32>, %gamma: !relax.tensor<[c], f32>, %beta: !relax.tensor<[c], f32>, %mean: !relax.tensor<[c], f32>, %var: !relax.tensor<[c], f32>) -> !relax.object {
  %ra, %rb, %rc = relax.batch_norm %x, %gamma, %beta, %mean, %var {axis = 1 : i64, momentum = 2.500000e-01 : f64} : (!relax.tensor<[n, ?], f32>, !relax.tensor<[c], f32>, !relax.tensor<[c], f32>, !relax.tensor<[c], f32>, !relax.tensor<[c], f32>) -> (!relax.tensor<[n, ?], f32>, !relax.tensor<[c], f32>, !relax.tensor<[c], f32>)
  relax.return %ra : !relax.tensor<[n, ?], f32>
}

// CHECK-LABEL: relax.func @unknown_rank(
// CHECK-NEXT: %ra, %rb, %rc = relax.batch_norm %x, %gamma, %beta, %mean, %var {axis = 1 : i64} : (!relax.tensor<*, f32>, !relax.tensor<[c], f32>, !relax.tensor<[c], f32>, !relax.tensor<[c], f32>, !relax.tensor<[c], f32>) -> (!relax.tensor<*, f32>, !relax.tensor<[c], f32>, !relax.tensor<[c], f32>){{$}}
// GENERIC: %ra, %rb, %rc = "relax.batch_norm"(%x, %gamma, %beta, %mean, %var) <{axis = 1 : i64}> : (!relax.tensor<*, f32>, !relax.tensor<[c], f32>, !relax.tensor<[c], f32>, !relax.tensor<[c], f32>, !relax.tensor<[c], f32>) -> (!relax.tensor<*, f32>, !relax.tensor<[c], f32>, !relax.tensor<[c], f32>){{$}}
relax.func @unknown_rank(%x: !relax.tensor<*, f32>, %gamma: !relax.tensor<[c], f32>, %beta: !relax.tensor<[c], f32>, %mean: !relax.tensor<[c], f32>, %var: !relax.tensor<[c], f32>) -> !relax.object {
  %ra, %rb, %rc = relax.batch_norm %x, %gamma, %beta, %mean, %var {axis = 1 : i64} : (!relax.tensor<*, f32>, !relax.tensor<[c], f32>, !relax.tensor<[c], f32>, !relax.tensor<[c], f32>, !relax.tensor<[c], f32>) -> (!relax.tensor<*, f32>, !relax.tensor<[c], f32>, !relax.tensor<[c], f32>)
  relax.return %ra : !relax.tensor<*, f32>
}

// CHECK-LABEL: relax.func @known_gamma(
// CHECK-NEXT: %ra, %rb, %rc = relax.batch_norm %x, %y, %z, %u, %v {axis = 1 : i64} : (!relax.tensor<[?, ?, ?, ?], f32>, !relax.tensor<[3], f32>, !relax.tensor<[3], f32>, !relax.tensor<[3], f32>, !relax.tensor<[3], f32>) -> (!relax.tensor<[?, ?, ?, ?], f32>, !relax.tensor<[3], f32>, !relax.tensor<[3], f32>){{$}}
relax.func @known_gamma(%x: !relax.tensor<[?, ?, ?, ?], f32>, %y: !relax.tensor<[3], f32>, %z: !relax.tensor<[3], f32>, %u: !relax.tensor<[3], f32>, %v: !relax.tensor<[3], f32>) -> !relax.object {
  %ra, %rb, %rc = relax.batch_norm %x, %y, %z, %u, %v {axis = 1 : i64} : (!relax.tensor<[?, ?, ?, ?], f32>, !relax.tensor<[3], f32>, !relax.tensor<[3], f32>, !relax.tensor<[3], f32>, !relax.tensor<[3], f32>) -> (!relax.tensor<[?, ?, ?, ?], f32>, !relax.tensor<[3], f32>, !relax.tensor<[3], f32>)
  relax.return %rc : !relax.tensor<[3], f32>
}

// CHECK-LABEL: relax.func @one_known_statistic(
// CHECK-NEXT: %ra, %rb, %rc = relax.batch_norm %x, %y, %z, %u, %v {axis = -1 : i64} : (!relax.tensor<[n, c], f32>, !relax.tensor<[?], f32>, !relax.tensor<*, f32>, !relax.tensor<[k], f32>, !relax.tensor<[3], f32>) -> (!relax.tensor<[n, c], f32>, !relax.tensor<[3], f32>, !relax.tensor<[3], f32>){{$}}
relax.func @one_known_statistic(%x: !relax.tensor<[n, c], f32>, %y: !relax.tensor<[?], f32>, %z: !relax.tensor<*, f32>, %u: !relax.tensor<[k], f32>, %v: !relax.tensor<[3], f32>) -> !relax.object {
  %ra, %rb, %rc = relax.batch_norm %x, %y, %z, %u, %v {axis = -1 : i64} : (!relax.tensor<[n, c], f32>, !relax.tensor<[?], f32>, !relax.tensor<*, f32>, !relax.tensor<[k], f32>, !relax.tensor<[3], f32>) -> (!relax.tensor<[n, c], f32>, !relax.tensor<[3], f32>, !relax.tensor<[3], f32>)
  relax.return %rc : !relax.tensor<[3], f32>
}
