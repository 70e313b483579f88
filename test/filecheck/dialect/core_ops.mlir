// RUN: relax-opt %s | relax-opt | filecheck %s
// RUN: relax-opt %s --print-op-generic | relax-opt | filecheck %s
// RUN: relax-opt %s --print-op-generic | filecheck %s --check-prefix GENERIC

// Constants, tuples, shapes, and both meanings of match_shape.

relax.func @f(%x: !relax.tensor<[?, 4], f32>, %s: !relax.shape<[?, ?]>) -> !relax.object {
  %c = relax.constant dense<[1.000000e+00, -2.500000e+00]> : tensor<2xf32>
  %i = relax.constant dense<7> : tensor<2x3xi64>
  %h = relax.constant dense<true> : tensor<i1> {my.note = "kept"}
  %t = relax.tuple %c, %s : (!relax.tensor<[2], f32>, !relax.shape<[?, ?]>) -> tuple<!relax.tensor<[2], f32>, !relax.shape<[?, ?]>>
  %g = relax.tuple_get_item %t {index = 1 : i64} : (tuple<!relax.tensor<[2], f32>, !relax.shape<[?, ?]>>) -> !relax.shape<[?, ?]>
  %w = relax.tuple_get_item %t {index = 0 : i64} : (tuple<!relax.tensor<[2], f32>, !relax.shape<[?, ?]>>) -> !relax.object
  %y = relax.match_shape %x [n, 4] : (!relax.tensor<[?, 4], f32>) -> !relax.tensor<[n, 4], f32>
  %v = relax.match_shape %s [n, m] : (!relax.shape<[?, ?]>) -> !relax.shape<[n, m]>
  %u = relax.match_shape %s [n, 2 * m] : (!relax.shape<[?, ?]>) -> !relax.shape<[?, 2 * m]>
  %o = relax.shape_of %y : (!relax.tensor<[n, 4], f32>) -> !relax.shape<[n, 4]>
  %q = relax.shape [ m*n, 2*(m floordiv 2), 3 ]
  %e = relax.shape []
  %k = relax.match_cast %w : !relax.object -> !relax.tensor<[l, l * n], f32>
  %b = relax.to_builtin %k : (!relax.tensor<[l, l * n], f32>) -> tensor<?x?xf32>
  %r = relax.from_builtin %b : (tensor<?x?xf32>) -> !relax.tensor<[?, ?], f32>
  %z = relax.from_builtin %b : (tensor<?x?xf32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<[?, ?], f32>
}

// CHECK: relax.func @f(%x: !relax.tensor<[?, 4], f32>, %s: !relax.shape<[?, ?]>) -> !relax.object {{{$}}
// CHECK-NEXT: %c = relax.constant dense<[1.000000e+00, -2.500000e+00]> : tensor<2xf32>{{$}}
// CHECK-NEXT: %i = relax.constant dense<7> : tensor<2x3xi64>{{$}}
// CHECK-NEXT: %h = relax.constant dense<true> : tensor<i1> {my.note = "kept"}{{$}}
// CHECK-NEXT: %t = relax.tuple %c, %s : (!relax.tensor<[2], f32>, !relax.shape<[?, ?]>) -> tuple<!relax.tensor<[2], f32>, !relax.shape<[?, ?]>>{{$}}
// CHECK-NEXT: %g = relax.tuple_get_item %t {index = 1 : i64} : (tuple<!relax.tensor<[2], f32>, !relax.shape<[?, ?]>>) -> !relax.shape<[?, ?]>{{$}}
// CHECK-NEXT: %w = relax.tuple_get_item %t {index = 0 : i64} : (tuple<!relax.tensor<[2], f32>, !relax.shape<[?, ?]>>) -> !relax.object{{$}}
// CHECK-NEXT: %y = relax.match_shape %x [n, 4] : (!relax.tensor<[?, 4], f32>) -> !relax.tensor<[n, 4], f32>{{$}}
// CHECK-NEXT: %v = relax.match_shape %s [n, m] : (!relax.shape<[?, ?]>) -> !relax.shape<[n, m]>{{$}}
// CHECK-NEXT: %u = relax.match_shape %s [n, 2 * m] : (!relax.shape<[?, ?]>) -> !relax.shape<[?, 2 * m]>{{$}}
// CHECK-NEXT: %o = relax.shape_of %y : (!relax.tensor<[n, 4], f32>) -> !relax.shape<[n, 4]>{{$}}
// CHECK-NEXT: %q = relax.shape [m * n, 2 * (m floordiv 2), 3]{{$}}
// CHECK-NEXT: %e = relax.shape []{{$}}
// CHECK-NEXT: %k = relax.match_cast %w : !relax.object -> !relax.tensor<[l, l * n], f32>{{$}}
// CHECK-NEXT: %b = relax.to_builtin %k : (!relax.tensor<[l, l * n], f32>) -> tensor<?x?xf32>{{$}}
// CHECK-NEXT: %r = relax.from_builtin %b : (tensor<?x?xf32>) -> !relax.tensor<[?, ?], f32>{{$}}
// CHECK-NEXT: %z = relax.from_builtin %b : (tensor<?x?xf32>) -> !relax.tensor<*>{{$}}
// CHECK-NEXT: relax.return %r : !relax.tensor<[?, ?], f32>{{$}}
// CHECK-NEXT: }{{$}}

// GENERIC: "relax.func"() <{sym_name = "f", function_type = !relax.func<(!relax.tensor<[?, 4], f32>, !relax.shape<[?, ?]>) -> !relax.object>}> ({{{$}}
// GENERIC-NEXT: ^bb0(%x: !relax.tensor<[?, 4], f32>, %s: !relax.shape<[?, ?]>):{{$}}
// GENERIC-NEXT: %c = "relax.constant"() <{value = dense<[1.000000e+00, -2.500000e+00]> : tensor<2xf32>}> : () -> !relax.tensor<[2], f32>{{$}}
// GENERIC-NEXT: %i = "relax.constant"() <{value = dense<7> : tensor<2x3xi64>}> : () -> !relax.tensor<[2, 3], i64>{{$}}
// GENERIC-NEXT: %h = "relax.constant"() <{value = dense<true> : tensor<i1>}> {my.note = "kept"} : () -> !relax.tensor<[], i1>{{$}}
// GENERIC-NEXT: %t = "relax.tuple"(%c, %s) : (!relax.tensor<[2], f32>, !relax.shape<[?, ?]>) -> tuple<!relax.tensor<[2], f32>, !relax.shape<[?, ?]>>{{$}}
// GENERIC-NEXT: %g = "relax.tuple_get_item"(%t) <{index = 1 : i64}> : (tuple<!relax.tensor<[2], f32>, !relax.shape<[?, ?]>>) -> !relax.shape<[?, ?]>{{$}}
// GENERIC-NEXT: %w = "relax.tuple_get_item"(%t) <{index = 0 : i64}> : (tuple<!relax.tensor<[2], f32>, !relax.shape<[?, ?]>>) -> !relax.object{{$}}
// GENERIC-NEXT: %y = "relax.match_shape"(%x) <{pattern = #relax.dims<[n, 4]>}> : (!relax.tensor<[?, 4], f32>) -> !relax.tensor<[n, 4], f32>{{$}}
// GENERIC-NEXT: %v = "relax.match_shape"(%s) <{pattern = #relax.dims<[n, m]>}> : (!relax.shape<[?, ?]>) -> !relax.shape<[n, m]>{{$}}
// GENERIC-NEXT: %u = "relax.match_shape"(%s) <{pattern = #relax.dims<[n, 2 * m]>}> : (!relax.shape<[?, ?]>) -> !relax.shape<[?, 2 * m]>{{$}}
// GENERIC-NEXT: %o = "relax.shape_of"(%y) : (!relax.tensor<[n, 4], f32>) -> !relax.shape<[n, 4]>{{$}}
// GENERIC-NEXT: %q = "relax.shape"() <{sizes = #relax.dims<[m * n, 2 * (m floordiv 2), 3]>}> : () -> !relax.shape<[m * n, 2 * (m floordiv 2), 3]>{{$}}
// GENERIC-NEXT: %e = "relax.shape"() <{sizes = #relax.dims<[]>}> : () -> !relax.shape<[]>{{$}}
// GENERIC-NEXT: %k = "relax.match_cast"(%w) : (!relax.object) -> !relax.tensor<[l, l * n], f32>{{$}}
// GENERIC-NEXT: %b = "relax.to_builtin"(%k) : (!relax.tensor<[l, l * n], f32>) -> tensor<?x?xf32>{{$}}
// GENERIC-NEXT: %r = "relax.from_builtin"(%b) : (tensor<?x?xf32>) -> !relax.tensor<[?, ?], f32>{{$}}
// GENERIC-NEXT: %z = "relax.from_builtin"(%b) : (tensor<?x?xf32>) -> !relax.tensor<*>{{$}}
// GENERIC-NEXT: "relax.return"(%r) : (!relax.tensor<[?, ?], f32>) -> (){{$}}
// GENERIC-NEXT: }) : () -> (){{$}}
