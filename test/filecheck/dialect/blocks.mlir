// RUN: relax-opt %s | relax-opt | filecheck %s
// RUN: relax-opt %s --print-op-generic | relax-opt | filecheck %s
// RUN: relax-opt %s --print-op-generic | filecheck %s --check-prefix GENERIC

// Dataflow is free of order, binding blocks are not; variables and outputs escape into the function.

relax.func @f(%x: !relax.tensor<[?], f32>) -> !relax.object {
  %a, %b = relax.dataflow {
    %z = relax.exp %y : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
    %y = relax.match_cast %x : !relax.tensor<[?], f32> -> !relax.tensor<[n], f32>
    relax.output %y, %z : !relax.tensor<[n], f32>, !relax.tensor<[n], f32>
  }
  %s = relax.shape [2 * n]
  relax.dataflow attributes {my.note = 1 : i64} {
    relax.output
  }
  %c = relax.binding_block {
    %d = relax.dataflow {
      %e = relax.add %a, %b : (!relax.tensor<[n], f32>, !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
      relax.output %e : !relax.tensor<[n], f32>
    }
    %p = relax.call_packed "print"(%d) : (!relax.tensor<[n], f32>) -> tuple<>
    %k = relax.match_cast %d : !relax.tensor<[n], f32> -> !relax.tensor<[m], f32>
    relax.output %k {my.unit} : !relax.tensor<[m], f32>
  }
  %t = relax.shape [m, n]
  relax.return %c : !relax.tensor<[m], f32>
}

// CHECK: relax.func @f(%x: !relax.tensor<[?], f32>) -> !relax.object {{{$}}
// CHECK-NEXT: %a, %b = relax.dataflow {{{$}}
// CHECK-NEXT: %z = relax.exp %y : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>{{$}}
// CHECK-NEXT: %y = relax.match_cast %x : !relax.tensor<[?], f32> -> !relax.tensor<[n], f32>{{$}}
// CHECK-NEXT: relax.output %y, %z : !relax.tensor<[n], f32>, !relax.tensor<[n], f32>{{$}}
// CHECK-NEXT: }{{$}}
// CHECK-NEXT: %s = relax.shape [2 * n]{{$}}
// CHECK-NEXT: relax.dataflow attributes {my.note = 1 : i64} {{{$}}
// CHECK-NEXT: relax.output{{$}}
// CHECK-NEXT: }{{$}}
// CHECK-NEXT: %c = relax.binding_block {{{$}}
// CHECK-NEXT: %d = relax.dataflow {{{$}}
// CHECK-NEXT: %e = relax.add %a, %b : (!relax.tensor<[n], f32>, !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>{{$}}
// CHECK-NEXT: relax.output %e : !relax.tensor<[n], f32>{{$}}
// CHECK-NEXT: }{{$}}
// CHECK-NEXT: %p = relax.call_packed "print"(%d) : (!relax.tensor<[n], f32>) -> tuple<>{{$}}
// CHECK-NEXT: %k = relax.match_cast %d : !relax.tensor<[n], f32> -> !relax.tensor<[m], f32>{{$}}
// CHECK-NEXT: relax.output %k {my.unit} : !relax.tensor<[m], f32>{{$}}
// CHECK-NEXT: }{{$}}
// CHECK-NEXT: %t = relax.shape [m, n]{{$}}
// CHECK-NEXT: relax.return %c : !relax.tensor<[m], f32>{{$}}
// CHECK-NEXT: }{{$}}

// GENERIC: "relax.func"() <{sym_name = "f", function_type = !relax.func<(!relax.tensor<[?], f32>) -> !relax.object>}> ({{{$}}
// GENERIC-NEXT: ^bb0(%x: !relax.tensor<[?], f32>):{{$}}
// GENERIC-NEXT: %a, %b = "relax.dataflow"() ({{{$}}
// GENERIC-NEXT: %z = "relax.exp"(%y) : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>{{$}}
// GENERIC-NEXT: %y = "relax.match_cast"(%x) : (!relax.tensor<[?], f32>) -> !relax.tensor<[n], f32>{{$}}
// GENERIC-NEXT: "relax.output"(%y, %z) : (!relax.tensor<[n], f32>, !relax.tensor<[n], f32>) -> (){{$}}
// GENERIC-NEXT: }) : () -> (!relax.tensor<[n], f32>, !relax.tensor<[n], f32>){{$}}
// GENERIC-NEXT: %s = "relax.shape"() <{sizes = #relax.dims<[2 * n]>}> : () -> !relax.shape<[2 * n]>{{$}}
// GENERIC-NEXT: "relax.dataflow"() ({{{$}}
// GENERIC-NEXT: "relax.output"() : () -> (){{$}}
// GENERIC-NEXT: }) {my.note = 1 : i64} : () -> (){{$}}
// GENERIC-NEXT: %c = "relax.binding_block"() ({{{$}}
// GENERIC-NEXT: %d = "relax.dataflow"() ({{{$}}
// GENERIC-NEXT: %e = "relax.add"(%a, %b) : (!relax.tensor<[n], f32>, !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>{{$}}
// GENERIC-NEXT: "relax.output"(%e) : (!relax.tensor<[n], f32>) -> (){{$}}
// GENERIC-NEXT: }) : () -> !relax.tensor<[n], f32>{{$}}
// GENERIC-NEXT: %p = "relax.call_packed"(%d) <{func_name = "print"}> : (!relax.tensor<[n], f32>) -> tuple<>{{$}}
// GENERIC-NEXT: %k = "relax.match_cast"(%d) : (!relax.tensor<[n], f32>) -> !relax.tensor<[m], f32>{{$}}
// GENERIC-NEXT: "relax.output"(%k) {my.unit} : (!relax.tensor<[m], f32>) -> (){{$}}
// GENERIC-NEXT: }) : () -> !relax.tensor<[m], f32>{{$}}
// GENERIC-NEXT: %t = "relax.shape"() <{sizes = #relax.dims<[m, n]>}> : () -> !relax.shape<[m, n]>{{$}}
// GENERIC-NEXT: "relax.return"(%c) : (!relax.tensor<[m], f32>) -> (){{$}}
// GENERIC-NEXT: }) : () -> (){{$}}
