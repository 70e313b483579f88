// RUN: relax-opt %s | relax-opt | filecheck %s
// RUN: relax-opt %s --print-op-generic | relax-opt | filecheck %s
// RUN: relax-opt %s --print-op-generic | filecheck %s --check-prefix GENERIC

// Branches join over what is in scope after them; closures bind variables of their own and capture others.

relax.func @f(%c: !relax.tensor<[], i1>, %x: !relax.tensor<[n, 4], f32>, %y: !relax.tensor<[n, 8], f32>) -> !relax.object {
  %r = relax.if %c {my.note = 1 : i64} : (!relax.tensor<[], i1>) -> !relax.tensor<[n, ?], f32> {
    %m = relax.match_cast %x : !relax.tensor<[n, 4], f32> -> !relax.tensor<[k, 4], f32>
    relax.yield %x : !relax.tensor<[n, 4], f32>
  } else {
    %i = relax.if %c : (!relax.tensor<[], i1>) -> !relax.tensor<[n, 8], f32> {
      relax.yield %y : !relax.tensor<[n, 8], f32>
    } else {
      %e = relax.exp %y : (!relax.tensor<[n, 8], f32>) -> !relax.tensor<[n, 8], f32>
      relax.yield %e : !relax.tensor<[n, 8], f32>
    }
    relax.yield %i : !relax.tensor<[n, 8], f32>
  }
  %g = relax.closure [k] (%a: !relax.tensor<[k, 4], f32>, %b: !relax.tensor<[n, 4], f32>) -> !relax.tensor<[k, 4], f32> {
    %z = relax.exp %a : (!relax.tensor<[k, 4], f32>) -> !relax.tensor<[k, 4], f32>
    relax.return %z : !relax.tensor<[k, 4], f32>
  }
  %h = relax.closure () -> !relax.object impure attributes {my.unit} {
    %p = relax.call_packed "tick"() : () -> !relax.object
    relax.return %p : !relax.object
  }
  %s = relax.call_closure %g, %x, %x : (!relax.func<[k] (!relax.tensor<[k, 4], f32>, !relax.tensor<[n, 4], f32>) -> !relax.tensor<[k, 4], f32>>, !relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4], f32>
  %t = relax.call_closure %h : (!relax.func<() -> !relax.object, impure>) -> !relax.object
  relax.return %s : !relax.tensor<[n, 4], f32>
}

// CHECK: relax.func @f(%c: !relax.tensor<[], i1>, %x: !relax.tensor<[n, 4], f32>, %y: !relax.tensor<[n, 8], f32>) -> !relax.object {{{$}}
// CHECK-NEXT: %r = relax.if %c {my.note = 1 : i64} : (!relax.tensor<[], i1>) -> !relax.tensor<[n, ?], f32> {{{$}}
// CHECK-NEXT: %m = relax.match_cast %x : !relax.tensor<[n, 4], f32> -> !relax.tensor<[k, 4], f32>{{$}}
// CHECK-NEXT: relax.yield %x : !relax.tensor<[n, 4], f32>{{$}}
// CHECK-NEXT: } else {{{$}}
// CHECK-NEXT: %i = relax.if %c : (!relax.tensor<[], i1>) -> !relax.tensor<[n, 8], f32> {{{$}}
// CHECK-NEXT: relax.yield %y : !relax.tensor<[n, 8], f32>{{$}}
// CHECK-NEXT: } else {{{$}}
// CHECK-NEXT: %e = relax.exp %y : (!relax.tensor<[n, 8], f32>) -> !relax.tensor<[n, 8], f32>{{$}}
// CHECK-NEXT: relax.yield %e : !relax.tensor<[n, 8], f32>{{$}}
// CHECK-NEXT: }{{$}}
// CHECK-NEXT: relax.yield %i : !relax.tensor<[n, 8], f32>{{$}}
// CHECK-NEXT: }{{$}}
// CHECK-NEXT: %g = relax.closure [k] (%a: !relax.tensor<[k, 4], f32>, %b: !relax.tensor<[n, 4], f32>) -> !relax.tensor<[k, 4], f32> {{{$}}
// CHECK-NEXT: %z = relax.exp %a : (!relax.tensor<[k, 4], f32>) -> !relax.tensor<[k, 4], f32>{{$}}
// CHECK-NEXT: relax.return %z : !relax.tensor<[k, 4], f32>{{$}}
// CHECK-NEXT: }{{$}}
// CHECK-NEXT: %h = relax.closure () -> !relax.object impure attributes {my.unit} {{{$}}
// CHECK-NEXT: %p = relax.call_packed "tick"() : () -> !relax.object{{$}}
// CHECK-NEXT: relax.return %p : !relax.object{{$}}
// CHECK-NEXT: }{{$}}
// CHECK-NEXT: %s = relax.call_closure %g, %x, %x : (!relax.func<[k] (!relax.tensor<[k, 4], f32>, !relax.tensor<[n, 4], f32>) -> !relax.tensor<[k, 4], f32>>, !relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4], f32>{{$}}
// CHECK-NEXT: %t = relax.call_closure %h : (!relax.func<() -> !relax.object, impure>) -> !relax.object{{$}}
// CHECK-NEXT: relax.return %s : !relax.tensor<[n, 4], f32>{{$}}
// CHECK-NEXT: }{{$}}

// GENERIC: "relax.func"() <{sym_name = "f", function_type = !relax.func<[n] (!relax.tensor<[], i1>, !relax.tensor<[n, 4], f32>, !relax.tensor<[n, 8], f32>) -> !relax.object>}> ({{{$}}
// GENERIC-NEXT: ^bb0(%c: !relax.tensor<[], i1>, %x: !relax.tensor<[n, 4], f32>, %y: !relax.tensor<[n, 8], f32>):{{$}}
// GENERIC-NEXT: %r = "relax.if"(%c) ({{{$}}
// GENERIC-NEXT: %m = "relax.match_cast"(%x) : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[k, 4], f32>{{$}}
// GENERIC-NEXT: "relax.yield"(%x) : (!relax.tensor<[n, 4], f32>) -> (){{$}}
// GENERIC-NEXT: }, {{{$}}
// GENERIC-NEXT: %i = "relax.if"(%c) ({{{$}}
// GENERIC-NEXT: "relax.yield"(%y) : (!relax.tensor<[n, 8], f32>) -> (){{$}}
// GENERIC-NEXT: }, {{{$}}
// GENERIC-NEXT: %e = "relax.exp"(%y) : (!relax.tensor<[n, 8], f32>) -> !relax.tensor<[n, 8], f32>{{$}}
// GENERIC-NEXT: "relax.yield"(%e) : (!relax.tensor<[n, 8], f32>) -> (){{$}}
// GENERIC-NEXT: }) : (!relax.tensor<[], i1>) -> !relax.tensor<[n, 8], f32>{{$}}
// GENERIC-NEXT: "relax.yield"(%i) : (!relax.tensor<[n, 8], f32>) -> (){{$}}
// GENERIC-NEXT: }) {my.note = 1 : i64} : (!relax.tensor<[], i1>) -> !relax.tensor<[n, ?], f32>{{$}}
// GENERIC-NEXT: %g = "relax.closure"() <{variables = ["k"]}> ({{{$}}
// GENERIC-NEXT: ^bb0(%a: !relax.tensor<[k, 4], f32>, %b: !relax.tensor<[n, 4], f32>):{{$}}
// GENERIC-NEXT: %z = "relax.exp"(%a) : (!relax.tensor<[k, 4], f32>) -> !relax.tensor<[k, 4], f32>{{$}}
// GENERIC-NEXT: "relax.return"(%z) : (!relax.tensor<[k, 4], f32>) -> (){{$}}
// GENERIC-NEXT: }) : () -> !relax.func<[k] (!relax.tensor<[k, 4], f32>, !relax.tensor<[n, 4], f32>) -> !relax.tensor<[k, 4], f32>>{{$}}
// GENERIC-NEXT: %h = "relax.closure"() ({{{$}}
// GENERIC-NEXT: %p = "relax.call_packed"() <{func_name = "tick"}> : () -> !relax.object{{$}}
// GENERIC-NEXT: "relax.return"(%p) : (!relax.object) -> (){{$}}
// GENERIC-NEXT: }) {my.unit} : () -> !relax.func<() -> !relax.object, impure>{{$}}
// GENERIC-NEXT: %s = "relax.call_closure"(%g, %x, %x) : (!relax.func<[k] (!relax.tensor<[k, 4], f32>, !relax.tensor<[n, 4], f32>) -> !relax.tensor<[k, 4], f32>>, !relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4], f32>{{$}}
// GENERIC-NEXT: %t = "relax.call_closure"(%h) : (!relax.func<() -> !relax.object, impure>) -> !relax.object{{$}}
// GENERIC-NEXT: "relax.return"(%s) : (!relax.tensor<[n, 4], f32>) -> (){{$}}
// GENERIC-NEXT: }) : () -> (){{$}}
