// RUN: relax-opt %s | relax-opt | filecheck %s
// RUN: relax-opt %s --print-op-generic | relax-opt | filecheck %s
// RUN: relax-opt %s --print-op-generic | filecheck %s --check-prefix GENERIC

// Ops of other dialects stand in our functions, pure ones in a dataflow block as well.

relax.func @f(%x: !relax.tensor<[n, 4], f32>, %c: i1) -> !relax.object {
  %o = relax.dataflow {
    %b = relax.to_builtin %x : (!relax.tensor<[n, 4], f32>) -> tensor<?x4xf32>
    %zero = arith.constant 0 : index
    %size = tensor.dim %b, %zero : tensor<?x4xf32>
    %sum = arith.addi %size, %size : index
    %e = tensor.empty(%sum) : tensor<?x4xf32>
    %r = relax.from_builtin %e : (tensor<?x4xf32>) -> !relax.tensor<[?, 4], f32>
    relax.output %r : !relax.tensor<[?, 4], f32>
  }
  %i = scf.if %c -> (!relax.object) {
    %p = relax.call_packed "g"(%o) : (!relax.tensor<[?, 4], f32>) -> !relax.object
    scf.yield %p : !relax.object
  } else {
    %q = relax.call_packed "h"(%x) : (!relax.tensor<[n, 4], f32>) -> !relax.object
    scf.yield %q : !relax.object
  }
  relax.return %i : !relax.object
}

// CHECK: relax.func @f(%x: !relax.tensor<[n, 4], f32>, %c: i1) -> !relax.object {{{$}}
// CHECK-NEXT: %o = relax.dataflow {{{$}}
// CHECK-NEXT: %b = relax.to_builtin %x : (!relax.tensor<[n, 4], f32>) -> tensor<?x4xf32>{{$}}
// CHECK-NEXT: %zero = arith.constant 0 : index{{$}}
// CHECK-NEXT: %size = tensor.dim %b, %zero : tensor<?x4xf32>{{$}}
// CHECK-NEXT: %sum = arith.addi %size, %size : index{{$}}
// CHECK-NEXT: %e = tensor.empty(%sum) : tensor<?x4xf32>{{$}}
// CHECK-NEXT: %r = relax.from_builtin %e : (tensor<?x4xf32>) -> !relax.tensor<[?, 4], f32>{{$}}
// CHECK-NEXT: relax.output %r : !relax.tensor<[?, 4], f32>{{$}}
// CHECK-NEXT: }{{$}}
// CHECK-NEXT: %i = scf.if %c -> (!relax.object) {{{$}}
// CHECK-NEXT: %p = relax.call_packed "g"(%o) : (!relax.tensor<[?, 4], f32>) -> !relax.object{{$}}
// CHECK-NEXT: scf.yield %p : !relax.object{{$}}
// CHECK-NEXT: } else {{{$}}
// CHECK-NEXT: %q = relax.call_packed "h"(%x) : (!relax.tensor<[n, 4], f32>) -> !relax.object{{$}}
// CHECK-NEXT: scf.yield %q : !relax.object{{$}}
// CHECK-NEXT: }{{$}}
// CHECK-NEXT: relax.return %i : !relax.object{{$}}
// CHECK-NEXT: }{{$}}

// GENERIC: "relax.func"() <{sym_name = "f", function_type = !relax.func<[n] (!relax.tensor<[n, 4], f32>, i1) -> !relax.object>}> ({{{$}}
// GENERIC-NEXT: ^bb0(%x: !relax.tensor<[n, 4], f32>, %c: i1):{{$}}
// GENERIC-NEXT: %o = "relax.dataflow"() ({{{$}}
// GENERIC-NEXT: %b = "relax.to_builtin"(%x) : (!relax.tensor<[n, 4], f32>) -> tensor<?x4xf32>{{$}}
// GENERIC-NEXT: %zero = "arith.constant"() <{value = 0 : index}> : () -> index{{$}}
// GENERIC-NEXT: %size = "tensor.dim"(%b, %zero) : (tensor<?x4xf32>, index) -> index{{$}}
// GENERIC-NEXT: %sum = "arith.addi"(%size, %size) <{overflowFlags = #arith.overflow<none>}> : (index, index) -> index{{$}}
// GENERIC-NEXT: %e = "tensor.empty"(%sum) : (index) -> tensor<?x4xf32>{{$}}
// GENERIC-NEXT: %r = "relax.from_builtin"(%e) : (tensor<?x4xf32>) -> !relax.tensor<[?, 4], f32>{{$}}
// GENERIC-NEXT: "relax.output"(%r) : (!relax.tensor<[?, 4], f32>) -> (){{$}}
// GENERIC-NEXT: }) : () -> !relax.tensor<[?, 4], f32>{{$}}
// GENERIC-NEXT: %i = "scf.if"(%c) ({{{$}}
// GENERIC-NEXT: %p = "relax.call_packed"(%o) <{func_name = "g"}> : (!relax.tensor<[?, 4], f32>) -> !relax.object{{$}}
// GENERIC-NEXT: "scf.yield"(%p) : (!relax.object) -> (){{$}}
// GENERIC-NEXT: }, {{{$}}
// GENERIC-NEXT: %q = "relax.call_packed"(%x) <{func_name = "h"}> : (!relax.tensor<[n, 4], f32>) -> !relax.object{{$}}
// GENERIC-NEXT: "scf.yield"(%q) : (!relax.object) -> (){{$}}
// GENERIC-NEXT: }) : (i1) -> !relax.object{{$}}
// GENERIC-NEXT: "relax.return"(%i) : (!relax.object) -> (){{$}}
// GENERIC-NEXT: }) : () -> (){{$}}
