// RUN: relax-opt %s | relax-opt | filecheck %s
// RUN: relax-opt %s --print-op-generic | relax-opt | filecheck %s
// RUN: relax-opt %s --print-op-generic | filecheck %s --check-prefix GENERIC

// A graph is free of order, its branches and closures are too; a let gives a node its place.

relax.func @f(%x: !relax.tensor<[], f32>, %one: !relax.tensor<[], f32>) -> !relax.tensor<[], f32> {
  %r = relax.graph {
    %i = relax.if %c : (!relax.tensor<[], i1>) -> !relax.tensor<[], f32> {
      %t = relax.add %s, %s : (!relax.tensor<[], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[], f32>
      %s = relax.multiply %v, %one : (!relax.tensor<[], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[], f32>
      relax.yield %t : !relax.tensor<[], f32>
    } else {
      relax.yield %v : !relax.tensor<[], f32>
    }
    %c = relax.equal %x, %one : (!relax.tensor<[], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[], i1>
    %v = relax.let %a : (!relax.tensor<[], f32>) -> !relax.tensor<[], f32>
    %a = relax.add %x, %one : (!relax.tensor<[], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[], f32>
    relax.output %i : !relax.tensor<[], f32>
  }
  %w = relax.let %r : (!relax.tensor<[], f32>) -> !relax.tensor<[], f32>
  relax.return %w : !relax.tensor<[], f32>
}

// CHECK: relax.func @f(%x: !relax.tensor<[], f32>, %one: !relax.tensor<[], f32>) -> !relax.tensor<[], f32> {{{$}}
// CHECK-NEXT: %r = relax.graph {{{$}}
// CHECK-NEXT: %i = relax.if %c : (!relax.tensor<[], i1>) -> !relax.tensor<[], f32> {{{$}}
// CHECK-NEXT: %t = relax.add %s, %s : (!relax.tensor<[], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[], f32>{{$}}
// CHECK-NEXT: %s = relax.multiply %v, %one : (!relax.tensor<[], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[], f32>{{$}}
// CHECK-NEXT: relax.yield %t : !relax.tensor<[], f32>{{$}}
// CHECK-NEXT: } else {{{$}}
// CHECK-NEXT: relax.yield %v : !relax.tensor<[], f32>{{$}}
// CHECK-NEXT: }{{$}}
// CHECK-NEXT: %c = relax.equal %x, %one : (!relax.tensor<[], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[], i1>{{$}}
// CHECK-NEXT: %v = relax.let %a : (!relax.tensor<[], f32>) -> !relax.tensor<[], f32>{{$}}
// CHECK-NEXT: %a = relax.add %x, %one : (!relax.tensor<[], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[], f32>{{$}}
// CHECK-NEXT: relax.output %i : !relax.tensor<[], f32>{{$}}
// CHECK-NEXT: }{{$}}
// CHECK-NEXT: %w = relax.let %r : (!relax.tensor<[], f32>) -> !relax.tensor<[], f32>{{$}}
// CHECK-NEXT: relax.return %w : !relax.tensor<[], f32>{{$}}
// CHECK-NEXT: }{{$}}

// GENERIC: "relax.func"() <{sym_name = "f", function_type = !relax.func<(!relax.tensor<[], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[], f32>>}> ({{{$}}
// GENERIC-NEXT: ^bb0(%x: !relax.tensor<[], f32>, %one: !relax.tensor<[], f32>):{{$}}
// GENERIC-NEXT: %r = "relax.graph"() ({{{$}}
// GENERIC-NEXT: %i = "relax.if"(%c) ({{{$}}
// GENERIC-NEXT: %t = "relax.add"(%s, %s) : (!relax.tensor<[], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[], f32>{{$}}
// GENERIC-NEXT: %s = "relax.multiply"(%v, %one) : (!relax.tensor<[], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[], f32>{{$}}
// GENERIC-NEXT: "relax.yield"(%t) : (!relax.tensor<[], f32>) -> (){{$}}
// GENERIC-NEXT: }, {{{$}}
// GENERIC-NEXT: "relax.yield"(%v) : (!relax.tensor<[], f32>) -> (){{$}}
// GENERIC-NEXT: }) : (!relax.tensor<[], i1>) -> !relax.tensor<[], f32>{{$}}
// GENERIC-NEXT: %c = "relax.equal"(%x, %one) : (!relax.tensor<[], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[], i1>{{$}}
// GENERIC-NEXT: %v = "relax.let"(%a) : (!relax.tensor<[], f32>) -> !relax.tensor<[], f32>{{$}}
// GENERIC-NEXT: %a = "relax.add"(%x, %one) : (!relax.tensor<[], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[], f32>{{$}}
// GENERIC-NEXT: "relax.output"(%i) : (!relax.tensor<[], f32>) -> (){{$}}
// GENERIC-NEXT: }) : () -> !relax.tensor<[], f32>{{$}}
// GENERIC-NEXT: %w = "relax.let"(%r) : (!relax.tensor<[], f32>) -> !relax.tensor<[], f32>{{$}}
// GENERIC-NEXT: "relax.return"(%w) : (!relax.tensor<[], f32>) -> (){{$}}
// GENERIC-NEXT: }) : () -> (){{$}}
