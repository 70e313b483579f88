// RUN: relax-opt %s -p 'relax-simplify-algebra' | filecheck %s
// RUN: relax-opt %s -p canonicalize | filecheck %s

// 0.0 makes 0.0 of -0.0; NaN is not absorbed; what does not commute; what only looks like a number.
relax.func @values(%x: !relax.tensor<[n, 4], f32>, %i: !relax.tensor<[n, 4], i32>) -> !relax.object {
  %z = relax.constant dense<0.0> : tensor<f32>
  %inf = relax.constant dense<"0x0000807F"> : tensor<f32>
  %one = relax.constant dense<1.0> : tensor<f32>
  %two = relax.constant dense<[1.0, 1.0, 1.0, 2.0]> : tensor<4xf32>
  %io = relax.constant dense<1> : tensor<i32>
  %a = relax.add %x, %z : (!relax.tensor<[n, 4], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[n, 4], f32>
  %b = relax.multiply %x, %z : (!relax.tensor<[n, 4], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[n, 4], f32>
  %c = relax.maximum %x, %inf : (!relax.tensor<[n, 4], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[n, 4], f32>
  %d = relax.divide %one, %x : (!relax.tensor<[], f32>, !relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4], f32>
  %e = relax.multiply %x, %two : (!relax.tensor<[n, 4], f32>, !relax.tensor<[4], f32>) -> !relax.tensor<[n, 4], f32>
  %g = relax.subtract %z, %x : (!relax.tensor<[], f32>, !relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4], f32>
  %h = relax.bitwise_and %i, %io : (!relax.tensor<[n, 4], i32>, !relax.tensor<[], i32>) -> !relax.tensor<[n, 4], i32>
  %j = relax.log %x : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4], f32>
  %k = relax.exp %j : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4], f32>
  %r = relax.tuple %a, %b, %c, %d, %e, %g, %h, %k : (!relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], i32>, !relax.tensor<[n, 4], f32>) -> tuple<!relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], i32>, !relax.tensor<[n, 4], f32>>
  relax.return %r : tuple<!relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], i32>, !relax.tensor<[n, 4], f32>>
}
// The sum has other sizes than x, or may have.
relax.func @shapes(%x: !relax.tensor<[1, 4], f32>, %y: !relax.tensor<[?, 4], f32>) -> !relax.object {
  %s = relax.shape [3, 4]
  %ones = relax.ones %s {dtype = f32} : (!relax.shape<[3, 4]>) -> !relax.tensor<[3, 4], f32>
  %a = relax.multiply %x, %ones : (!relax.tensor<[1, 4], f32>, !relax.tensor<[3, 4], f32>) -> !relax.tensor<[3, 4], f32>
  %b = relax.multiply %y, %ones : (!relax.tensor<[?, 4], f32>, !relax.tensor<[3, 4], f32>) -> !relax.tensor<[3, 4], f32>
  %c = relax.reshape %y, %s : (!relax.tensor<[?, 4], f32>, !relax.shape<[3, 4]>) -> !relax.tensor<[3, 4], f32>
  %r = relax.tuple %a, %b, %c : (!relax.tensor<[3, 4], f32>, !relax.tensor<[3, 4], f32>, !relax.tensor<[3, 4], f32>) -> tuple<!relax.tensor<[3, 4], f32>, !relax.tensor<[3, 4], f32>, !relax.tensor<[3, 4], f32>>
  relax.return %r : tuple<!relax.tensor<[3, 4], f32>, !relax.tensor<[3, 4], f32>, !relax.tensor<[3, 4], f32>>
}
// The inner cast loses something, or saturates where one cast wraps around.
relax.func @casts(%x: !relax.tensor<[n, 4], f32>, %i: !relax.tensor<[n, 4], i32>) -> !relax.object {
  %a = relax.astype %x {dtype = f16} : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4], f16>
  %b = relax.astype %a {dtype = f32} : (!relax.tensor<[n, 4], f16>) -> !relax.tensor<[n, 4], f32>
  %c = relax.astype %i {dtype = f64} : (!relax.tensor<[n, 4], i32>) -> !relax.tensor<[n, 4], f64>
  %d = relax.astype %c {dtype = i8} : (!relax.tensor<[n, 4], f64>) -> !relax.tensor<[n, 4], i8>
  %r = relax.tuple %b, %d : (!relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], i8>) -> tuple<!relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], i8>>
  relax.return %r : tuple<!relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], i8>>
}
// Of unknown rank; a reshape whose check is no other's.
relax.func @views(%x: !relax.tensor<[n, m], f32>, %k: !relax.shape<[k]>, %y: !relax.tensor<*, f32>) -> !relax.object {
  %s = relax.shape [k]
  %u = relax.shape [n, m]
  %a = relax.reshape %x, %s : (!relax.tensor<[n, m], f32>, !relax.shape<[k]>) -> !relax.tensor<[k], f32>
  %b = relax.reshape %a, %u : (!relax.tensor<[k], f32>, !relax.shape<[n, m]>) -> !relax.tensor<[n, m], f32>
  %c = relax.permute_dims %y : (!relax.tensor<*, f32>) -> !relax.tensor<*, f32>
  %d = relax.squeeze %y : (!relax.tensor<*, f32>) -> !relax.tensor<*, f32>
  %r = relax.tuple %b, %c, %d : (!relax.tensor<[n, m], f32>, !relax.tensor<*, f32>, !relax.tensor<*, f32>) -> tuple<!relax.tensor<[n, m], f32>, !relax.tensor<*, f32>, !relax.tensor<*, f32>>
  relax.return %r : tuple<!relax.tensor<[n, m], f32>, !relax.tensor<*, f32>, !relax.tensor<*, f32>>
}

// The least integer is its own negation, and its quotients have another sign.
relax.func @quotient_of_integers(%x: !relax.tensor<[n], i32>, %y: !relax.tensor<[n], i32>) -> !relax.tensor<[n], i32> {
  %a = relax.negative %x : (!relax.tensor<[n], i32>) -> !relax.tensor<[n], i32>
  %b = relax.negative %y : (!relax.tensor<[n], i32>) -> !relax.tensor<[n], i32>
  %r = relax.divide %a, %b : (!relax.tensor<[n], i32>, !relax.tensor<[n], i32>) -> !relax.tensor<[n], i32>
  relax.return %r : !relax.tensor<[n], i32>
}
// CHECK:       relax.func @values(%x: !relax.tensor<[n, 4], f32>, %i: !relax.tensor<[n, 4], i32>) -> !relax.object {
// CHECK-NEXT:    %z = relax.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT:    %inf = relax.constant dense<"0x0000807F"> : tensor<f32>
// CHECK-NEXT:    %one = relax.constant dense<1.000000e+00> : tensor<f32>
// CHECK-NEXT:    %two = relax.constant dense<[1.000000e+00, 1.000000e+00, 1.000000e+00, 2.000000e+00]> : tensor<4xf32>
// CHECK-NEXT:    %io = relax.constant dense<1> : tensor<i32>
// CHECK-NEXT:    %a = relax.add %x, %z : (!relax.tensor<[n, 4], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[n, 4], f32>
// CHECK-NEXT:    %b = relax.multiply %x, %z : (!relax.tensor<[n, 4], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[n, 4], f32>
// CHECK-NEXT:    %c = relax.maximum %x, %inf : (!relax.tensor<[n, 4], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[n, 4], f32>
// CHECK-NEXT:    %d = relax.divide %one, %x : (!relax.tensor<[], f32>, !relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4], f32>
// CHECK-NEXT:    %e = relax.multiply %x, %two : (!relax.tensor<[n, 4], f32>, !relax.tensor<[4], f32>) -> !relax.tensor<[n, 4], f32>
// CHECK-NEXT:    %g = relax.subtract %z, %x : (!relax.tensor<[], f32>, !relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4], f32>
// CHECK-NEXT:    %h = relax.bitwise_and %i, %io : (!relax.tensor<[n, 4], i32>, !relax.tensor<[], i32>) -> !relax.tensor<[n, 4], i32>
// CHECK-NEXT:    %j = relax.log %x : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4], f32>
// CHECK-NEXT:    %k = relax.exp %j : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4], f32>
// CHECK-NEXT:    %r = relax.tuple %a, %b, %c, %d, %e, %g, %h, %k : (!relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], i32>, !relax.tensor<[n, 4], f32>) -> tuple<!relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], i32>, !relax.tensor<[n, 4], f32>>
// CHECK-NEXT:    relax.return %r : tuple<!relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], i32>, !relax.tensor<[n, 4], f32>>
// CHECK-NEXT:  }
// CHECK:       relax.func @shapes(%x: !relax.tensor<[1, 4], f32>, %y: !relax.tensor<[?, 4], f32>) -> !relax.object {
// CHECK-NEXT:    %s = relax.shape [3, 4]
// CHECK-NEXT:    %ones = relax.ones %s {dtype = f32} : (!relax.shape<[3, 4]>) -> !relax.tensor<[3, 4], f32>
// CHECK-NEXT:    %a = relax.multiply %x, %ones : (!relax.tensor<[1, 4], f32>, !relax.tensor<[3, 4], f32>) -> !relax.tensor<[3, 4], f32>
// CHECK-NEXT:    %b = relax.multiply %y, %ones : (!relax.tensor<[?, 4], f32>, !relax.tensor<[3, 4], f32>) -> !relax.tensor<[3, 4], f32>
// CHECK-NEXT:    %c = relax.reshape %y, %s : (!relax.tensor<[?, 4], f32>, !relax.shape<[3, 4]>) -> !relax.tensor<[3, 4], f32>
// CHECK-NEXT:    %r = relax.tuple %a, %b, %c : (!relax.tensor<[3, 4], f32>, !relax.tensor<[3, 4], f32>, !relax.tensor<[3, 4], f32>) -> tuple<!relax.tensor<[3, 4], f32>, !relax.tensor<[3, 4], f32>, !relax.tensor<[3, 4], f32>>
// CHECK-NEXT:    relax.return %r : tuple<!relax.tensor<[3, 4], f32>, !relax.tensor<[3, 4], f32>, !relax.tensor<[3, 4], f32>>
// CHECK-NEXT:  }
// CHECK:       relax.func @casts(%x: !relax.tensor<[n, 4], f32>, %i: !relax.tensor<[n, 4], i32>) -> !relax.object {
// CHECK-NEXT:    %a = relax.astype %x {dtype = f16} : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4], f16>
// CHECK-NEXT:    %b = relax.astype %a {dtype = f32} : (!relax.tensor<[n, 4], f16>) -> !relax.tensor<[n, 4], f32>
// CHECK-NEXT:    %c = relax.astype %i {dtype = f64} : (!relax.tensor<[n, 4], i32>) -> !relax.tensor<[n, 4], f64>
// CHECK-NEXT:    %d = relax.astype %c {dtype = i8} : (!relax.tensor<[n, 4], f64>) -> !relax.tensor<[n, 4], i8>
// CHECK-NEXT:    %r = relax.tuple %b, %d : (!relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], i8>) -> tuple<!relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], i8>>
// CHECK-NEXT:    relax.return %r : tuple<!relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], i8>>
// CHECK-NEXT:  }
// CHECK:       relax.func @views(%x: !relax.tensor<[n, m], f32>, %k: !relax.shape<[k]>, %y: !relax.tensor<*, f32>) -> !relax.object {
// CHECK-NEXT:    %s = relax.shape [k]
// CHECK-NEXT:    %u = relax.shape [n, m]
// CHECK-NEXT:    %a = relax.reshape %x, %s : (!relax.tensor<[n, m], f32>, !relax.shape<[k]>) -> !relax.tensor<[k], f32>
// CHECK-NEXT:    %b = relax.reshape %a, %u : (!relax.tensor<[k], f32>, !relax.shape<[n, m]>) -> !relax.tensor<[n, m], f32>
// CHECK-NEXT:    %c = relax.permute_dims %y : (!relax.tensor<*, f32>) -> !relax.tensor<*, f32>
// CHECK-NEXT:    %d = relax.squeeze %y : (!relax.tensor<*, f32>) -> !relax.tensor<*, f32>
// CHECK-NEXT:    %r = relax.tuple %b, %c, %d : (!relax.tensor<[n, m], f32>, !relax.tensor<*, f32>, !relax.tensor<*, f32>) -> tuple<!relax.tensor<[n, m], f32>, !relax.tensor<*, f32>, !relax.tensor<*, f32>>
// CHECK-NEXT:    relax.return %r : tuple<!relax.tensor<[n, m], f32>, !relax.tensor<*, f32>, !relax.tensor<*, f32>>
// CHECK-NEXT:  }
// CHECK:       relax.func @quotient_of_integers(
// CHECK:         %r = relax.divide %a, %b :
