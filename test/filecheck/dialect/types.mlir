// RUN: relax-opt %s | relax-opt | filecheck %s
// RUN: relax-opt %s --print-op-generic | relax-opt | filecheck %s
// RUN: relax-opt %s --print-op-generic | filecheck %s --check-prefix GENERIC

// Every spelling of the types.

relax.func @types(%x: !relax.shape<[n, m]>) -> !relax.object {
  %a = relax.match_cast %x : !relax.shape<[n, m]> -> !relax.object
  %aa = relax.match_cast %a : !relax.object -> !relax.tensor<[2, 3], f32>
  %b = relax.match_cast %x : !relax.shape<[n, m]> -> !relax.object
  %bb = relax.match_cast %b : !relax.object -> !relax.tensor<[], f64>
  %c = relax.match_cast %x : !relax.shape<[n, m]> -> !relax.object
  %cc = relax.match_cast %c : !relax.object -> !relax.tensor<[n, m], i1>
  %d = relax.match_cast %x : !relax.shape<[n, m]> -> !relax.object
  %dd = relax.match_cast %d : !relax.object -> !relax.tensor<[?, n, ?], bf16>
  %e = relax.match_cast %x : !relax.shape<[n, m]> -> !relax.object
  %ee = relax.match_cast %e : !relax.object -> !relax.tensor<*, f16>
  %f = relax.match_cast %x : !relax.shape<[n, m]> -> !relax.object
  %ff = relax.match_cast %f : !relax.object -> !relax.tensor<[n]>
  %g = relax.match_cast %x : !relax.shape<[n, m]> -> !relax.object
  %gg = relax.match_cast %g : !relax.object -> !relax.tensor<[?]>
  %h = relax.match_cast %x : !relax.shape<[n, m]> -> !relax.object
  %hh = relax.match_cast %h : !relax.object -> !relax.tensor<*>
  %i = relax.match_cast %x : !relax.shape<[n, m]> -> !relax.object
  %ii = relax.match_cast %i : !relax.object -> !relax.tensor< [ m*n , 2*(m floordiv 2) , n mod 4 ] , ui8 >
  %j = relax.match_cast %x : !relax.shape<[n, m]> -> !relax.object
  %jj = relax.match_cast %j : !relax.object -> !relax.tensor<[max(n, 1), min(m, n + 1), n - 1 + 2], i64>
  %k = relax.match_cast %x : !relax.shape<[n, m]> -> !relax.object
  %kk = relax.match_cast %k : !relax.object -> !relax.tensor<[n ceildiv 4, 3 * 4], index>
  %l = relax.match_cast %x : !relax.shape<[n, m]> -> !relax.object
  %ll = relax.match_cast %l : !relax.object -> !relax.shape<[n, m * n, 4]>
  %m = relax.match_cast %x : !relax.shape<[n, m]> -> !relax.object
  %mm = relax.match_cast %m : !relax.object -> !relax.shape<[?, n]>
  %n = relax.match_cast %x : !relax.shape<[n, m]> -> !relax.object
  %nn = relax.match_cast %n : !relax.object -> !relax.shape<[]>
  %o = relax.match_cast %x : !relax.shape<[n, m]> -> !relax.object
  %oo = relax.match_cast %o : !relax.object -> !relax.shape<*>
  %p = relax.match_cast %x : !relax.shape<[n, m]> -> !relax.object
  %pp = relax.match_cast %p : !relax.object -> !relax.object
  %q = relax.match_cast %x : !relax.shape<[n, m]> -> !relax.object
  %qq = relax.match_cast %q : !relax.object -> tuple<>
  %r = relax.match_cast %x : !relax.shape<[n, m]> -> !relax.object
  %rr = relax.match_cast %r : !relax.object -> tuple<!relax.tensor<[n], f32>, tuple<!relax.shape<[n]>, i32>, !relax.object>
  %s = relax.match_cast %x : !relax.shape<[n, m]> -> !relax.object
  %ss = relax.match_cast %s : !relax.object -> !relax.func<() -> !relax.object>
  %t = relax.match_cast %x : !relax.shape<[n, m]> -> !relax.object
  %tt = relax.match_cast %t : !relax.object -> !relax.func<(!relax.tensor<[n], f32>, index) -> !relax.tensor<[n], f32>>
  %u = relax.match_cast %x : !relax.shape<[n, m]> -> !relax.object
  %uu = relax.match_cast %u : !relax.object -> !relax.func<[k] (!relax.tensor<[n, k], f32>) -> !relax.tensor<[k], f32>>
  %v = relax.match_cast %x : !relax.shape<[n, m]> -> !relax.object
  %vv = relax.match_cast %v : !relax.object -> !relax.func<[k, l] (!relax.func<[m] (!relax.tensor<[m, l]>) -> tuple<>>, !relax.shape<[k]>) -> tuple<!relax.object>>
  relax.return %x : !relax.shape<[n, m]>
}

// CHECK: relax.func @types(%x: !relax.shape<[n, m]>) -> !relax.object {{{$}}
// CHECK-NEXT: %a = relax.match_cast %x : !relax.shape<[n, m]> -> !relax.object{{$}}
// CHECK-NEXT: %aa = relax.match_cast %a : !relax.object -> !relax.tensor<[2, 3], f32>{{$}}
// CHECK-NEXT: %b = relax.match_cast %x : !relax.shape<[n, m]> -> !relax.object{{$}}
// CHECK-NEXT: %bb = relax.match_cast %b : !relax.object -> !relax.tensor<[], f64>{{$}}
// CHECK-NEXT: %c = relax.match_cast %x : !relax.shape<[n, m]> -> !relax.object{{$}}
// CHECK-NEXT: %cc = relax.match_cast %c : !relax.object -> !relax.tensor<[n, m], i1>{{$}}
// CHECK-NEXT: %d = relax.match_cast %x : !relax.shape<[n, m]> -> !relax.object{{$}}
// CHECK-NEXT: %dd = relax.match_cast %d : !relax.object -> !relax.tensor<[?, n, ?], bf16>{{$}}
// CHECK-NEXT: %e = relax.match_cast %x : !relax.shape<[n, m]> -> !relax.object{{$}}
// CHECK-NEXT: %ee = relax.match_cast %e : !relax.object -> !relax.tensor<*, f16>{{$}}
// CHECK-NEXT: %f = relax.match_cast %x : !relax.shape<[n, m]> -> !relax.object{{$}}
// CHECK-NEXT: %ff = relax.match_cast %f : !relax.object -> !relax.tensor<[n]>{{$}}
// CHECK-NEXT: %g = relax.match_cast %x : !relax.shape<[n, m]> -> !relax.object{{$}}
// CHECK-NEXT: %gg = relax.match_cast %g : !relax.object -> !relax.tensor<[?]>{{$}}
// CHECK-NEXT: %h = relax.match_cast %x : !relax.shape<[n, m]> -> !relax.object{{$}}
// CHECK-NEXT: %hh = relax.match_cast %h : !relax.object -> !relax.tensor<*>{{$}}
// CHECK-NEXT: %i = relax.match_cast %x : !relax.shape<[n, m]> -> !relax.object{{$}}
// CHECK-NEXT: %ii = relax.match_cast %i : !relax.object -> !relax.tensor<[m * n, 2 * (m floordiv 2), n mod 4], ui8>{{$}}
// CHECK-NEXT: %j = relax.match_cast %x : !relax.shape<[n, m]> -> !relax.object{{$}}
// CHECK-NEXT: %jj = relax.match_cast %j : !relax.object -> !relax.tensor<[max(n, 1), min(m, n + 1), n + 1], i64>{{$}}
// CHECK-NEXT: %k = relax.match_cast %x : !relax.shape<[n, m]> -> !relax.object{{$}}
// CHECK-NEXT: %kk = relax.match_cast %k : !relax.object -> !relax.tensor<[(n + 3) floordiv 4, 12], index>{{$}}
// CHECK-NEXT: %l = relax.match_cast %x : !relax.shape<[n, m]> -> !relax.object{{$}}
// CHECK-NEXT: %ll = relax.match_cast %l : !relax.object -> !relax.shape<[n, m * n, 4]>{{$}}
// CHECK-NEXT: %m = relax.match_cast %x : !relax.shape<[n, m]> -> !relax.object{{$}}
// CHECK-NEXT: %mm = relax.match_cast %m : !relax.object -> !relax.shape<[?, n]>{{$}}
// CHECK-NEXT: %n = relax.match_cast %x : !relax.shape<[n, m]> -> !relax.object{{$}}
// CHECK-NEXT: %nn = relax.match_cast %n : !relax.object -> !relax.shape<[]>{{$}}
// CHECK-NEXT: %o = relax.match_cast %x : !relax.shape<[n, m]> -> !relax.object{{$}}
// CHECK-NEXT: %oo = relax.match_cast %o : !relax.object -> !relax.shape<*>{{$}}
// CHECK-NEXT: %p = relax.match_cast %x : !relax.shape<[n, m]> -> !relax.object{{$}}
// CHECK-NEXT: %pp = relax.match_cast %p : !relax.object -> !relax.object{{$}}
// CHECK-NEXT: %q = relax.match_cast %x : !relax.shape<[n, m]> -> !relax.object{{$}}
// CHECK-NEXT: %qq = relax.match_cast %q : !relax.object -> tuple<>{{$}}
// CHECK-NEXT: %r = relax.match_cast %x : !relax.shape<[n, m]> -> !relax.object{{$}}
// CHECK-NEXT: %rr = relax.match_cast %r : !relax.object -> tuple<!relax.tensor<[n], f32>, tuple<!relax.shape<[n]>, i32>, !relax.object>{{$}}
// CHECK-NEXT: %s = relax.match_cast %x : !relax.shape<[n, m]> -> !relax.object{{$}}
// CHECK-NEXT: %ss = relax.match_cast %s : !relax.object -> !relax.func<() -> !relax.object>{{$}}
// CHECK-NEXT: %t = relax.match_cast %x : !relax.shape<[n, m]> -> !relax.object{{$}}
// CHECK-NEXT: %tt = relax.match_cast %t : !relax.object -> !relax.func<(!relax.tensor<[n], f32>, index) -> !relax.tensor<[n], f32>>{{$}}
// CHECK-NEXT: %u = relax.match_cast %x : !relax.shape<[n, m]> -> !relax.object{{$}}
// CHECK-NEXT: %uu = relax.match_cast %u : !relax.object -> !relax.func<[k] (!relax.tensor<[n, k], f32>) -> !relax.tensor<[k], f32>>{{$}}
// CHECK-NEXT: %v = relax.match_cast %x : !relax.shape<[n, m]> -> !relax.object{{$}}
// CHECK-NEXT: %vv = relax.match_cast %v : !relax.object -> !relax.func<[k, l] (!relax.func<[m] (!relax.tensor<[m, l]>) -> tuple<>>, !relax.shape<[k]>) -> tuple<!relax.object>>{{$}}
// CHECK-NEXT: relax.return %x : !relax.shape<[n, m]>{{$}}
// CHECK-NEXT: }{{$}}

// GENERIC: "relax.func"() <{sym_name = "types", function_type = !relax.func<[n, m] (!relax.shape<[n, m]>) -> !relax.object>}> ({{{$}}
// GENERIC-NEXT: ^bb0(%x: !relax.shape<[n, m]>):{{$}}
// GENERIC-NEXT: %a = "relax.match_cast"(%x) : (!relax.shape<[n, m]>) -> !relax.object{{$}}
// GENERIC-NEXT: %aa = "relax.match_cast"(%a) : (!relax.object) -> !relax.tensor<[2, 3], f32>{{$}}
// GENERIC-NEXT: %b = "relax.match_cast"(%x) : (!relax.shape<[n, m]>) -> !relax.object{{$}}
// GENERIC-NEXT: %bb = "relax.match_cast"(%b) : (!relax.object) -> !relax.tensor<[], f64>{{$}}
// GENERIC-NEXT: %c = "relax.match_cast"(%x) : (!relax.shape<[n, m]>) -> !relax.object{{$}}
// GENERIC-NEXT: %cc = "relax.match_cast"(%c) : (!relax.object) -> !relax.tensor<[n, m], i1>{{$}}
// GENERIC-NEXT: %d = "relax.match_cast"(%x) : (!relax.shape<[n, m]>) -> !relax.object{{$}}
// GENERIC-NEXT: %dd = "relax.match_cast"(%d) : (!relax.object) -> !relax.tensor<[?, n, ?], bf16>{{$}}
// GENERIC-NEXT: %e = "relax.match_cast"(%x) : (!relax.shape<[n, m]>) -> !relax.object{{$}}
// GENERIC-NEXT: %ee = "relax.match_cast"(%e) : (!relax.object) -> !relax.tensor<*, f16>{{$}}
// GENERIC-NEXT: %f = "relax.match_cast"(%x) : (!relax.shape<[n, m]>) -> !relax.object{{$}}
// GENERIC-NEXT: %ff = "relax.match_cast"(%f) : (!relax.object) -> !relax.tensor<[n]>{{$}}
// GENERIC-NEXT: %g = "relax.match_cast"(%x) : (!relax.shape<[n, m]>) -> !relax.object{{$}}
// GENERIC-NEXT: %gg = "relax.match_cast"(%g) : (!relax.object) -> !relax.tensor<[?]>{{$}}
// GENERIC-NEXT: %h = "relax.match_cast"(%x) : (!relax.shape<[n, m]>) -> !relax.object{{$}}
// GENERIC-NEXT: %hh = "relax.match_cast"(%h) : (!relax.object) -> !relax.tensor<*>{{$}}
// GENERIC-NEXT: %i = "relax.match_cast"(%x) : (!relax.shape<[n, m]>) -> !relax.object{{$}}
// GENERIC-NEXT: %ii = "relax.match_cast"(%i) : (!relax.object) -> !relax.tensor<[m * n, 2 * (m floordiv 2), n mod 4], ui8>{{$}}
// GENERIC-NEXT: %j = "relax.match_cast"(%x) : (!relax.shape<[n, m]>) -> !relax.object{{$}}
// GENERIC-NEXT: %jj = "relax.match_cast"(%j) : (!relax.object) -> !relax.tensor<[max(n, 1), min(m, n + 1), n + 1], i64>{{$}}
// GENERIC-NEXT: %k = "relax.match_cast"(%x) : (!relax.shape<[n, m]>) -> !relax.object{{$}}
// GENERIC-NEXT: %kk = "relax.match_cast"(%k) : (!relax.object) -> !relax.tensor<[(n + 3) floordiv 4, 12], index>{{$}}
// GENERIC-NEXT: %l = "relax.match_cast"(%x) : (!relax.shape<[n, m]>) -> !relax.object{{$}}
// GENERIC-NEXT: %ll = "relax.match_cast"(%l) : (!relax.object) -> !relax.shape<[n, m * n, 4]>{{$}}
// GENERIC-NEXT: %m = "relax.match_cast"(%x) : (!relax.shape<[n, m]>) -> !relax.object{{$}}
// GENERIC-NEXT: %mm = "relax.match_cast"(%m) : (!relax.object) -> !relax.shape<[?, n]>{{$}}
// GENERIC-NEXT: %n = "relax.match_cast"(%x) : (!relax.shape<[n, m]>) -> !relax.object{{$}}
// GENERIC-NEXT: %nn = "relax.match_cast"(%n) : (!relax.object) -> !relax.shape<[]>{{$}}
// GENERIC-NEXT: %o = "relax.match_cast"(%x) : (!relax.shape<[n, m]>) -> !relax.object{{$}}
// GENERIC-NEXT: %oo = "relax.match_cast"(%o) : (!relax.object) -> !relax.shape<*>{{$}}
// GENERIC-NEXT: %p = "relax.match_cast"(%x) : (!relax.shape<[n, m]>) -> !relax.object{{$}}
// GENERIC-NEXT: %pp = "relax.match_cast"(%p) : (!relax.object) -> !relax.object{{$}}
// GENERIC-NEXT: %q = "relax.match_cast"(%x) : (!relax.shape<[n, m]>) -> !relax.object{{$}}
// GENERIC-NEXT: %qq = "relax.match_cast"(%q) : (!relax.object) -> tuple<>{{$}}
// GENERIC-NEXT: %r = "relax.match_cast"(%x) : (!relax.shape<[n, m]>) -> !relax.object{{$}}
// GENERIC-NEXT: %rr = "relax.match_cast"(%r) : (!relax.object) -> tuple<!relax.tensor<[n], f32>, tuple<!relax.shape<[n]>, i32>, !relax.object>{{$}}
// GENERIC-NEXT: %s = "relax.match_cast"(%x) : (!relax.shape<[n, m]>) -> !relax.object{{$}}
// GENERIC-NEXT: %ss = "relax.match_cast"(%s) : (!relax.object) -> !relax.func<() -> !relax.object>{{$}}
// GENERIC-NEXT: %t = "relax.match_cast"(%x) : (!relax.shape<[n, m]>) -> !relax.object{{$}}
// GENERIC-NEXT: %tt = "relax.match_cast"(%t) : (!relax.object) -> !relax.func<(!relax.tensor<[n], f32>, index) -> !relax.tensor<[n], f32>>{{$}}
// GENERIC-NEXT: %u = "relax.match_cast"(%x) : (!relax.shape<[n, m]>) -> !relax.object{{$}}
// GENERIC-NEXT: %uu = "relax.match_cast"(%u) : (!relax.object) -> !relax.func<[k] (!relax.tensor<[n, k], f32>) -> !relax.tensor<[k], f32>>{{$}}
// GENERIC-NEXT: %v = "relax.match_cast"(%x) : (!relax.shape<[n, m]>) -> !relax.object{{$}}
// GENERIC-NEXT: %vv = "relax.match_cast"(%v) : (!relax.object) -> !relax.func<[k, l] (!relax.func<[m] (!relax.tensor<[m, l]>) -> tuple<>>, !relax.shape<[k]>) -> tuple<!relax.object>>{{$}}
// GENERIC-NEXT: "relax.return"(%x) : (!relax.shape<[n, m]>) -> (){{$}}
// GENERIC-NEXT: }) : () -> (){{$}}
