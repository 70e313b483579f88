// RUN: relax-opt %s | relax-opt | filecheck %s
// RUN: relax-opt %s --print-op-generic | relax-opt | filecheck %s
// RUN: relax-opt %s --print-op-generic | filecheck %s --check-prefix GENERIC

// Calls of each kind: sizes are found from the arguments, those in brackets are passed.

func.func private @prim(%a: tensor<?x4xf32> {relax.dims = ["n", "4"]}, %m: index {relax.symbol = "m"}) -> (tensor<?xf32> {relax.dims = ["m * n"]}) {
  %e = tensor.empty(%m) : tensor<?xf32>
  func.return %e : tensor<?xf32>
}
func.func private @two(%a: tensor<4xf32>) -> (tensor<4xf32>, tensor<?xi32> {relax.dims = ["?"]}) {
  %n = arith.constant 4 : index
  %e = tensor.empty(%n) : tensor<?xi32>
  func.return %a, %e : tensor<4xf32>, tensor<?xi32>
}
relax.func @g(%x: !relax.tensor<[n, m], f32>, %s: !relax.shape<[m]>) -> !relax.tensor<[m + n], f32> {
  %y = relax.match_cast %x : !relax.tensor<[n, m], f32> -> !relax.object
  %z = relax.match_cast %y : !relax.object -> !relax.tensor<[m + n], f32>
  relax.return %z : !relax.tensor<[m + n], f32>
}
relax.func @f(%x: !relax.tensor<[k, 4], f32>, %s: !relax.shape<[?]>, %o: !relax.object) -> !relax.object {
  %a = relax.call @later(%x) : (!relax.tensor<[k, 4], f32>) -> !relax.tensor<[k], f32>
  %t = relax.shape [4]
  %b = relax.call @g(%x, %t) : (!relax.tensor<[k, 4], f32>, !relax.shape<[4]>) -> !relax.tensor<[k + 4], f32>
  %c = relax.call @g(%x, %s) : (!relax.tensor<[k, 4], f32>, !relax.shape<[?]>) -> !relax.tensor<[k + 4], f32>
  %d = relax.call @g(%o, %s) : (!relax.object, !relax.shape<[?]>) -> !relax.tensor<[?], f32>
  %e = relax.call_tir @prim(%x)[2 * k] : (!relax.tensor<[k, 4], f32>) -> !relax.tensor<[2 * k * k], f32>
  %h = relax.constant dense<0.000000e+00> : tensor<4xf32>
  %i, %j = relax.call_tir @two(%h) : (!relax.tensor<[4], f32>) -> (!relax.tensor<[4], f32>, !relax.tensor<[?], i32>)
  %l = relax.call_packed "lib.f"(%x, %s) {my.note = 1 : i64} : (!relax.tensor<[k, 4], f32>, !relax.shape<[?]>) -> !relax.tensor<[k], f32>
  %m = relax.call_packed ""() : () -> !relax.object
  relax.return %b : !relax.tensor<[k + 4], f32>
}
relax.func private @later(%x: !relax.tensor<[n, m], f32>) -> !relax.tensor<[n], f32> {
  %y = relax.sum %x {axis = array<i64: 1>} : (!relax.tensor<[n, m], f32>) -> !relax.tensor<[n], f32>
  relax.return %y : !relax.tensor<[n], f32>
}

// CHECK: func.func private @prim(%a: tensor<?x4xf32> {relax.dims = ["n", "4"]}, %m: index {relax.symbol = "m"}) -> (tensor<?xf32> {relax.dims = ["m * n"]}) {{{$}}
// CHECK-NEXT: %e = tensor.empty(%m) : tensor<?xf32>{{$}}
// CHECK-NEXT: func.return %e : tensor<?xf32>{{$}}
// CHECK-NEXT: }{{$}}
// CHECK-NEXT: func.func private @two(%a: tensor<4xf32>) -> (tensor<4xf32>, tensor<?xi32> {relax.dims = ["?"]}) {{{$}}
// CHECK-NEXT: %n = arith.constant 4 : index{{$}}
// CHECK-NEXT: %e = tensor.empty(%n) : tensor<?xi32>{{$}}
// CHECK-NEXT: func.return %a, %e : tensor<4xf32>, tensor<?xi32>{{$}}
// CHECK-NEXT: }{{$}}
// CHECK-NEXT: relax.func @g(%x: !relax.tensor<[n, m], f32>, %s: !relax.shape<[m]>) -> !relax.tensor<[m + n], f32> {{{$}}
// CHECK-NEXT: %y = relax.match_cast %x : !relax.tensor<[n, m], f32> -> !relax.object{{$}}
// CHECK-NEXT: %z = relax.match_cast %y : !relax.object -> !relax.tensor<[m + n], f32>{{$}}
// CHECK-NEXT: relax.return %z : !relax.tensor<[m + n], f32>{{$}}
// CHECK-NEXT: }{{$}}
// CHECK-NEXT: relax.func @f(%x: !relax.tensor<[k, 4], f32>, %s: !relax.shape<[?]>, %o: !relax.object) -> !relax.object {{{$}}
// CHECK-NEXT: %a = relax.call @later(%x) : (!relax.tensor<[k, 4], f32>) -> !relax.tensor<[k], f32>{{$}}
// CHECK-NEXT: %t = relax.shape [4]{{$}}
// CHECK-NEXT: %b = relax.call @g(%x, %t) : (!relax.tensor<[k, 4], f32>, !relax.shape<[4]>) -> !relax.tensor<[k + 4], f32>{{$}}
// CHECK-NEXT: %c = relax.call @g(%x, %s) : (!relax.tensor<[k, 4], f32>, !relax.shape<[?]>) -> !relax.tensor<[k + 4], f32>{{$}}
// CHECK-NEXT: %d = relax.call @g(%o, %s) : (!relax.object, !relax.shape<[?]>) -> !relax.tensor<[?], f32>{{$}}
// CHECK-NEXT: %e = relax.call_tir @prim(%x)[2 * k] : (!relax.tensor<[k, 4], f32>) -> !relax.tensor<[2 * k * k], f32>{{$}}
// CHECK-NEXT: %h = relax.constant dense<0.000000e+00> : tensor<4xf32>{{$}}
// CHECK-NEXT: %i, %j = relax.call_tir @two(%h) : (!relax.tensor<[4], f32>) -> (!relax.tensor<[4], f32>, !relax.tensor<[?], i32>){{$}}
// CHECK-NEXT: %l = relax.call_packed "lib.f"(%x, %s) {my.note = 1 : i64} : (!relax.tensor<[k, 4], f32>, !relax.shape<[?]>) -> !relax.tensor<[k], f32>{{$}}
// CHECK-NEXT: %m = relax.call_packed ""() : () -> !relax.object{{$}}
// CHECK-NEXT: relax.return %b : !relax.tensor<[k + 4], f32>{{$}}
// CHECK-NEXT: }{{$}}
// CHECK-NEXT: relax.func private @later(%x: !relax.tensor<[n, m], f32>) -> !relax.tensor<[n], f32> {{{$}}
// CHECK-NEXT: %y = relax.sum %x {axis = array<i64: 1>} : (!relax.tensor<[n, m], f32>) -> !relax.tensor<[n], f32>{{$}}
// CHECK-NEXT: relax.return %y : !relax.tensor<[n], f32>{{$}}
// CHECK-NEXT: }{{$}}

// GENERIC: "func.func"() <{sym_name = "prim", function_type = (tensor<?x4xf32>, index) -> tensor<?xf32>, sym_visibility = "private", arg_attrs = [{relax.dims = ["n", "4"]}, {relax.symbol = "m"}], res_attrs = [{relax.dims = ["m * n"]}]}> ({{{$}}
// GENERIC-NEXT: ^bb0(%a: tensor<?x4xf32>, %m: index):{{$}}
// GENERIC-NEXT: %e = "tensor.empty"(%m) : (index) -> tensor<?xf32>{{$}}
// GENERIC-NEXT: "func.return"(%e) : (tensor<?xf32>) -> (){{$}}
// GENERIC-NEXT: }) : () -> (){{$}}
// GENERIC-NEXT: "func.func"() <{sym_name = "two", function_type = (tensor<4xf32>) -> (tensor<4xf32>, tensor<?xi32>), sym_visibility = "private", res_attrs = [{}, {relax.dims = ["?"]}]}> ({{{$}}
// GENERIC-NEXT: ^bb0(%a: tensor<4xf32>):{{$}}
// GENERIC-NEXT: %n = "arith.constant"() <{value = 4 : index}> : () -> index{{$}}
// GENERIC-NEXT: %e = "tensor.empty"(%n) : (index) -> tensor<?xi32>{{$}}
// GENERIC-NEXT: "func.return"(%a, %e) : (tensor<4xf32>, tensor<?xi32>) -> (){{$}}
// GENERIC-NEXT: }) : () -> (){{$}}
// GENERIC-NEXT: "relax.func"() <{sym_name = "g", function_type = !relax.func<[n, m] (!relax.tensor<[n, m], f32>, !relax.shape<[m]>) -> !relax.tensor<[m + n], f32>>}> ({{{$}}
// GENERIC-NEXT: ^bb0(%x: !relax.tensor<[n, m], f32>, %s: !relax.shape<[m]>):{{$}}
// GENERIC-NEXT: %y = "relax.match_cast"(%x) : (!relax.tensor<[n, m], f32>) -> !relax.object{{$}}
// GENERIC-NEXT: %z = "relax.match_cast"(%y) : (!relax.object) -> !relax.tensor<[m + n], f32>{{$}}
// GENERIC-NEXT: "relax.return"(%z) : (!relax.tensor<[m + n], f32>) -> (){{$}}
// GENERIC-NEXT: }) : () -> (){{$}}
// GENERIC-NEXT: "relax.func"() <{sym_name = "f", function_type = !relax.func<[k] (!relax.tensor<[k, 4], f32>, !relax.shape<[?]>, !relax.object) -> !relax.object>}> ({{{$}}
// GENERIC-NEXT: ^bb0(%x: !relax.tensor<[k, 4], f32>, %s: !relax.shape<[?]>, %o: !relax.object):{{$}}
// GENERIC-NEXT: %a = "relax.call"(%x) <{callee = @later}> : (!relax.tensor<[k, 4], f32>) -> !relax.tensor<[k], f32>{{$}}
// GENERIC-NEXT: %t = "relax.shape"() <{sizes = #relax.dims<[4]>}> : () -> !relax.shape<[4]>{{$}}
// GENERIC-NEXT: %b = "relax.call"(%x, %t) <{callee = @g}> : (!relax.tensor<[k, 4], f32>, !relax.shape<[4]>) -> !relax.tensor<[k + 4], f32>{{$}}
// GENERIC-NEXT: %c = "relax.call"(%x, %s) <{callee = @g}> : (!relax.tensor<[k, 4], f32>, !relax.shape<[?]>) -> !relax.tensor<[k + 4], f32>{{$}}
// GENERIC-NEXT: %d = "relax.call"(%o, %s) <{callee = @g}> : (!relax.object, !relax.shape<[?]>) -> !relax.tensor<[?], f32>{{$}}
// GENERIC-NEXT: %e = "relax.call_tir"(%x) <{callee = @prim, symbols = #relax.dims<[2 * k]>}> : (!relax.tensor<[k, 4], f32>) -> !relax.tensor<[2 * k * k], f32>{{$}}
// GENERIC-NEXT: %h = "relax.constant"() <{value = dense<0.000000e+00> : tensor<4xf32>}> : () -> !relax.tensor<[4], f32>{{$}}
// GENERIC-NEXT: %i, %j = "relax.call_tir"(%h) <{callee = @two}> : (!relax.tensor<[4], f32>) -> (!relax.tensor<[4], f32>, !relax.tensor<[?], i32>){{$}}
// GENERIC-NEXT: %l = "relax.call_packed"(%x, %s) <{func_name = "lib.f"}> {my.note = 1 : i64} : (!relax.tensor<[k, 4], f32>, !relax.shape<[?]>) -> !relax.tensor<[k], f32>{{$}}
// GENERIC-NEXT: %m = "relax.call_packed"() <{func_name = ""}> : () -> !relax.object{{$}}
// GENERIC-NEXT: "relax.return"(%b) : (!relax.tensor<[k + 4], f32>) -> (){{$}}
// GENERIC-NEXT: }) : () -> (){{$}}
// GENERIC-NEXT: "relax.func"() <{sym_name = "later", function_type = !relax.func<[n, m] (!relax.tensor<[n, m], f32>) -> !relax.tensor<[n], f32>>, sym_visibility = "private"}> ({{{$}}
// GENERIC-NEXT: ^bb0(%x: !relax.tensor<[n, m], f32>):{{$}}
// GENERIC-NEXT: %y = "relax.sum"(%x) <{axis = array<i64: 1>}> : (!relax.tensor<[n, m], f32>) -> !relax.tensor<[n], f32>{{$}}
// GENERIC-NEXT: "relax.return"(%y) : (!relax.tensor<[n], f32>) -> (){{$}}
// GENERIC-NEXT: }) : () -> (){{$}}
