// RUN: relax-opt %s -p 'relax-simplify-algebra' | filecheck %s
// RUN: relax-opt %s -p canonicalize | filecheck %s

// Whatever side the number stands on, and however it is written.
relax.func @neutral(%x: !relax.tensor<[n, 4], f32>, %b: !relax.tensor<[n, 4], i1>) -> !relax.object {
  %z = relax.constant dense<-0.0> : tensor<f32>
  %one = relax.constant dense<1.0> : tensor<1x4xf32>
  %low = relax.constant dense<"0x000080FF"> : tensor<f32>
  %yes = relax.constant dense<true> : tensor<i1>
  %a = relax.add %z, %x : (!relax.tensor<[], f32>, !relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4], f32>
  %c = relax.multiply %a, %one : (!relax.tensor<[n, 4], f32>, !relax.tensor<[1, 4], f32>) -> !relax.tensor<[n, 4], f32>
  %d = relax.maximum %c, %low : (!relax.tensor<[n, 4], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[n, 4], f32>
  %s = relax.shape [4]
  %ones = relax.ones %s {dtype = f32} : (!relax.shape<[4]>) -> !relax.tensor<[4], f32>
  %e = relax.divide %d, %ones : (!relax.tensor<[n, 4], f32>, !relax.tensor<[4], f32>) -> !relax.tensor<[n, 4], f32>
  %g = relax.logical_and %b, %yes : (!relax.tensor<[n, 4], i1>, !relax.tensor<[], i1>) -> !relax.tensor<[n, 4], i1>
  %h = relax.add %e, %z : (!relax.tensor<[n, 4], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[n, ?], f32>
  %r = relax.tuple %h, %g : (!relax.tensor<[n, ?], f32>, !relax.tensor<[n, 4], i1>) -> tuple<!relax.tensor<[n, ?], f32>, !relax.tensor<[n, 4], i1>>
  relax.return %r : tuple<!relax.tensor<[n, ?], f32>, !relax.tensor<[n, 4], i1>>
}
// The number, in the shape of the result.
relax.func @absorbing(%x: !relax.tensor<[n, 4], i32>, %b: !relax.tensor<[n, 4], i1>) -> !relax.object {
  %z = relax.constant dense<0> : tensor<i32>
  %no = relax.constant dense<false> : tensor<i1>
  %row = relax.constant dense<2147483647> : tensor<1x4xi32>
  %a = relax.multiply %x, %z : (!relax.tensor<[n, 4], i32>, !relax.tensor<[], i32>) -> !relax.tensor<[n, 4], i32>
  %c = relax.logical_and %no, %b : (!relax.tensor<[], i1>, !relax.tensor<[n, 4], i1>) -> !relax.tensor<[n, 4], i1>
  %d = relax.maximum %x, %row : (!relax.tensor<[n, 4], i32>, !relax.tensor<[1, 4], i32>) -> !relax.tensor<[n, 4], i32>
  %r = relax.tuple %a, %c, %d : (!relax.tensor<[n, 4], i32>, !relax.tensor<[n, 4], i1>, !relax.tensor<[n, 4], i32>) -> tuple<!relax.tensor<[n, 4], i32>, !relax.tensor<[n, 4], i1>, !relax.tensor<[n, 4], i32>>
  relax.return %r : tuple<!relax.tensor<[n, 4], i32>, !relax.tensor<[n, 4], i1>, !relax.tensor<[n, 4], i32>>
}
relax.func @inverses(%x: !relax.tensor<[n, 4], f32>, %y: !relax.tensor<[n, 4], f32>, %b: !relax.tensor<[n, 4], i1>) -> !relax.object {
  %a = relax.negative %x : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4], f32>
  %c = relax.negative %a : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4], f32>
  %d = relax.relu %c : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4], f32>
  %e = relax.relu %d : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4], f32>
  %g = relax.subtract %e, %a : (!relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4], f32>
  %h = relax.ceil %g : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4], f32>
  %i = relax.floor %h : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4], f32>
  %j = relax.equal %i, %y : (!relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4], i1>
  %k = relax.logical_not %j : (!relax.tensor<[n, 4], i1>) -> !relax.tensor<[n, 4], i1>
  %r = relax.tuple %i, %k : (!relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], i1>) -> tuple<!relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], i1>>
  relax.return %r : tuple<!relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], i1>>
}
relax.func @casts(%x: !relax.tensor<[n, 4], f32>, %i: !relax.tensor<[n, 4], i32>) -> !relax.object {
  %a = relax.astype %x {dtype = f64} : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4], f64>
  %b = relax.astype %a {dtype = f32} : (!relax.tensor<[n, 4], f64>) -> !relax.tensor<[n, 4], f32>
  %c = relax.astype %b {dtype = f32} : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4], f32>
  %d = relax.astype %i {dtype = i64} : (!relax.tensor<[n, 4], i32>) -> !relax.tensor<[n, 4], i64>
  %e = relax.astype %d {dtype = i8} : (!relax.tensor<[n, 4], i64>) -> !relax.tensor<[n, 4], i8>
  %r = relax.tuple %c, %e : (!relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], i8>) -> tuple<!relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], i8>>
  relax.return %r : tuple<!relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], i8>>
}
relax.func @views(%x: !relax.tensor<[n, 2, 4], f32>) -> !relax.object {
  %a = relax.permute_dims %x {axes = array<i64: 2, 0, 1>} : (!relax.tensor<[n, 2, 4], f32>) -> !relax.tensor<[4, n, 2], f32>
  %b = relax.permute_dims %a {axes = array<i64: 1, 0, 2>} : (!relax.tensor<[4, n, 2], f32>) -> !relax.tensor<[n, 4, 2], f32>
  %c = relax.permute_dims %b {axes = array<i64: 0, 2, 1>} : (!relax.tensor<[n, 4, 2], f32>) -> !relax.tensor<[n, 2, 4], f32>
  %s = relax.shape [n, 8]
  %u = relax.shape [2 * n, 4]
  %d = relax.reshape %c, %s : (!relax.tensor<[n, 2, 4], f32>, !relax.shape<[n, 8]>) -> !relax.tensor<[n, 8], f32>
  %e = relax.reshape %d, %u : (!relax.tensor<[n, 8], f32>, !relax.shape<[2 * n, 4]>) -> !relax.tensor<[n * 2, 4], f32>
  %g = relax.expand_dims %e {axis = array<i64: 0>} : (!relax.tensor<[n * 2, 4], f32>) -> !relax.tensor<[1, n * 2, 4], f32>
  %h = relax.flatten %g : (!relax.tensor<[1, n * 2, 4], f32>) -> !relax.tensor<[n * 8], f32>
  %i = relax.expand_dims %c {axis = array<i64: 1>} : (!relax.tensor<[n, 2, 4], f32>) -> !relax.tensor<[n, 1, 2, 4], f32>
  %j = relax.expand_dims %i {axis = array<i64: 4>} : (!relax.tensor<[n, 1, 2, 4], f32>) -> !relax.tensor<[n, 1, 2, 4, 1], f32>
  %k = relax.squeeze %i {axis = array<i64: 1>} : (!relax.tensor<[n, 1, 2, 4], f32>) -> !relax.tensor<[n, 2, 4], f32>
  %v = relax.shape [n, 2, 4]
  %l = relax.broadcast_to %k, %v : (!relax.tensor<[n, 2, 4], f32>, !relax.shape<[n, 2, 4]>) -> !relax.tensor<[n, 2, 4], f32>
  %r = relax.tuple %h, %j, %l : (!relax.tensor<[n * 8], f32>, !relax.tensor<[n, 1, 2, 4, 1], f32>, !relax.tensor<[n, 2, 4], f32>) -> tuple<!relax.tensor<[n * 8], f32>, !relax.tensor<[n, 1, 2, 4, 1], f32>, !relax.tensor<[n, 2, 4], f32>>
  relax.return %r : tuple<!relax.tensor<[n * 8], f32>, !relax.tensor<[n, 1, 2, 4, 1], f32>, !relax.tensor<[n, 2, 4], f32>>
}
// The inner value stays for its other user.
relax.func @inner_used_elsewhere(%x: !relax.tensor<[n, 4], f32>) -> !relax.object {
  %a = relax.permute_dims %x : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[4, n], f32>
  %b = relax.permute_dims %a : (!relax.tensor<[4, n], f32>) -> !relax.tensor<[n, 4], f32>
  %c = relax.exp %a : (!relax.tensor<[4, n], f32>) -> !relax.tensor<[4, n], f32>
  %r = relax.tuple %b, %c : (!relax.tensor<[n, 4], f32>, !relax.tensor<[4, n], f32>) -> tuple<!relax.tensor<[n, 4], f32>, !relax.tensor<[4, n], f32>>
  relax.return %r : tuple<!relax.tensor<[n, 4], f32>, !relax.tensor<[4, n], f32>>
}

// CHECK:       relax.func @neutral(%x: !relax.tensor<[n, 4], f32>, %b: !relax.tensor<[n, 4], i1>) -> !relax.object {
// CHECK-NEXT:    %h = relax.let %x : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, ?], f32>
// CHECK-NEXT:    %r = relax.tuple %h, %b : (!relax.tensor<[n, ?], f32>, !relax.tensor<[n, 4], i1>) -> tuple<!relax.tensor<[n, ?], f32>, !relax.tensor<[n, 4], i1>>
// CHECK-NEXT:    relax.return %r : tuple<!relax.tensor<[n, ?], f32>, !relax.tensor<[n, 4], i1>>
// CHECK-NEXT:  }
// CHECK:       relax.func @absorbing(%x: !relax.tensor<[n, 4], i32>, %b: !relax.tensor<[n, 4], i1>) -> !relax.object {
// CHECK-NEXT:    %z = relax.constant dense<0> : tensor<i32>
// CHECK-NEXT:    %no = relax.constant dense<false> : tensor<i1>
// CHECK-NEXT:    %a = relax.shape [n, 4]
// CHECK-NEXT:    %a_1 = relax.full %a, %z : (!relax.shape<[n, 4]>, !relax.tensor<[], i32>) -> !relax.tensor<[n, 4], i32>
// CHECK-NEXT:    %c = relax.shape [n, 4]
// CHECK-NEXT:    %c_1 = relax.full %c, %no : (!relax.shape<[n, 4]>, !relax.tensor<[], i1>) -> !relax.tensor<[n, 4], i1>
// CHECK-NEXT:    %c_2 = relax.constant dense<2147483647> : tensor<i32>
// CHECK-NEXT:    %d = relax.shape [n, 4]
// CHECK-NEXT:    %d_1 = relax.full %d, %c_2 : (!relax.shape<[n, 4]>, !relax.tensor<[], i32>) -> !relax.tensor<[n, 4], i32>
// CHECK-NEXT:    %r = relax.tuple %a_1, %c_1, %d_1 : (!relax.tensor<[n, 4], i32>, !relax.tensor<[n, 4], i1>, !relax.tensor<[n, 4], i32>) -> tuple<!relax.tensor<[n, 4], i32>, !relax.tensor<[n, 4], i1>, !relax.tensor<[n, 4], i32>>
// CHECK-NEXT:    relax.return %r : tuple<!relax.tensor<[n, 4], i32>, !relax.tensor<[n, 4], i1>, !relax.tensor<[n, 4], i32>>
// CHECK-NEXT:  }
// CHECK:       relax.func @inverses(%x: !relax.tensor<[n, 4], f32>, %y: !relax.tensor<[n, 4], f32>, %b: !relax.tensor<[n, 4], i1>) -> !relax.object {
// CHECK-NEXT:    %d = relax.relu %x : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4], f32>
// CHECK-NEXT:    %g = relax.add %d, %x : (!relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4], f32>
// CHECK-NEXT:    %h = relax.ceil %g : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4], f32>
// CHECK-NEXT:    %k = relax.not_equal %h, %y : (!relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4], i1>
// CHECK-NEXT:    %r = relax.tuple %h, %k : (!relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], i1>) -> tuple<!relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], i1>>
// CHECK-NEXT:    relax.return %r : tuple<!relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], i1>>
// CHECK-NEXT:  }
// CHECK:       relax.func @casts(%x: !relax.tensor<[n, 4], f32>, %i: !relax.tensor<[n, 4], i32>) -> !relax.object {
// CHECK-NEXT:    %e = relax.astype %i {dtype = i8} : (!relax.tensor<[n, 4], i32>) -> !relax.tensor<[n, 4], i8>
// CHECK-NEXT:    %r = relax.tuple %x, %e : (!relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], i8>) -> tuple<!relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], i8>>
// CHECK-NEXT:    relax.return %r : tuple<!relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], i8>>
// CHECK-NEXT:  }
// CHECK:       relax.func @views(%x: !relax.tensor<[n, 2, 4], f32>) -> !relax.object {
// CHECK-NEXT:    %h = relax.flatten %x : (!relax.tensor<[n, 2, 4], f32>) -> !relax.tensor<[8 * n], f32>
// CHECK-NEXT:    %j = relax.expand_dims %x {axis = array<i64: 1, 4>} : (!relax.tensor<[n, 2, 4], f32>) -> !relax.tensor<[n, 1, 2, 4, 1], f32>
// CHECK-NEXT:    %r = relax.tuple %h, %j, %x : (!relax.tensor<[8 * n], f32>, !relax.tensor<[n, 1, 2, 4, 1], f32>, !relax.tensor<[n, 2, 4], f32>) -> tuple<!relax.tensor<[8 * n], f32>, !relax.tensor<[n, 1, 2, 4, 1], f32>, !relax.tensor<[n, 2, 4], f32>>
// CHECK-NEXT:    relax.return %r : tuple<!relax.tensor<[8 * n], f32>, !relax.tensor<[n, 1, 2, 4, 1], f32>, !relax.tensor<[n, 2, 4], f32>>
// CHECK-NEXT:  }
// CHECK:       relax.func @inner_used_elsewhere(%x: !relax.tensor<[n, 4], f32>) -> !relax.object {
// CHECK-NEXT:    %a = relax.permute_dims %x : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[4, n], f32>
// CHECK-NEXT:    %c = relax.exp %a : (!relax.tensor<[4, n], f32>) -> !relax.tensor<[4, n], f32>
// CHECK-NEXT:    %r = relax.tuple %x, %c : (!relax.tensor<[n, 4], f32>, !relax.tensor<[4, n], f32>) -> tuple<!relax.tensor<[n, 4], f32>, !relax.tensor<[4, n], f32>>
// CHECK-NEXT:    relax.return %r : tuple<!relax.tensor<[n, 4], f32>, !relax.tensor<[4, n], f32>>
// CHECK-NEXT:  }
