// RUN: relax-opt %s | relax-opt | filecheck %s
// RUN: relax-opt %s --print-op-generic | relax-opt | filecheck %s
// RUN: relax-opt %s --print-op-generic | filecheck %s --check-prefix GENERIC

// Pure calls of functions from outside may stand in dataflow, effects may not.

func.func private @step(%A: tensor<?xf32> {relax.dims = ["n"]}, %B: tensor<?xf32> {relax.dims = ["n"]}) -> (tensor<?xf32> {relax.dims = ["n"]}) {
  func.return %A : tensor<?xf32>
}

relax.func @f(%x: !relax.tensor<[n], f32>, %c: !relax.tensor<[], i1>) -> !relax.tensor<[n], f32> {
  %y = relax.dataflow {
    %p = relax.call_pure_packed "cube"(%x) : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
    %d = relax.call_dps_packed "fill"(%p) {my.note = 1 : i64} : (!relax.tensor<[n], f32>) -> !relax.tensor<[2 * n], f32>
    relax.output %p : !relax.tensor<[n], f32>
  }
  relax.print %x, %y {format = "x = {}, y = {}, {{}}"} : (!relax.tensor<[n], f32>, !relax.tensor<[n], f32>) -> ()
  relax.print : () -> ()
  relax.assert_op %c : (!relax.tensor<[], i1>) -> ()
  relax.assert_op %c, %x {format = "wrong: {}"} : (!relax.tensor<[], i1>, !relax.tensor<[n], f32>) -> ()
  %z = relax.call_tir_inplace @step(%x, %y) {inplace_indices = array<i64: 1>} : (!relax.tensor<[n], f32>, !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  relax.return %z : !relax.tensor<[n], f32>
}

// CHECK: relax.func @f(%x: !relax.tensor<[n], f32>, %c: !relax.tensor<[], i1>) -> !relax.tensor<[n], f32> {{{$}}
// CHECK-NEXT: %y = relax.dataflow {{{$}}
// CHECK-NEXT: %p = relax.call_pure_packed "cube"(%x) : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>{{$}}
// CHECK-NEXT: %d = relax.call_dps_packed "fill"(%p) {my.note = 1 : i64} : (!relax.tensor<[n], f32>) -> !relax.tensor<[2 * n], f32>{{$}}
// CHECK-NEXT: relax.output %p : !relax.tensor<[n], f32>{{$}}
// CHECK-NEXT: }{{$}}
// CHECK-NEXT: relax.print %x, %y {format = "x = {}, y = {}, {{[{][{][}][}]}}"} : (!relax.tensor<[n], f32>, !relax.tensor<[n], f32>) -> (){{$}}
// CHECK-NEXT: relax.print : () -> (){{$}}
// CHECK-NEXT: relax.assert_op %c : (!relax.tensor<[], i1>) -> (){{$}}
// CHECK-NEXT: relax.assert_op %c, %x {format = "wrong: {}"} : (!relax.tensor<[], i1>, !relax.tensor<[n], f32>) -> (){{$}}
// CHECK-NEXT: %z = relax.call_tir_inplace @step(%x, %y) {inplace_indices = array<i64: 1>} : (!relax.tensor<[n], f32>, !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>{{$}}
// CHECK-NEXT: relax.return %z : !relax.tensor<[n], f32>{{$}}
// CHECK-NEXT: }{{$}}

// GENERIC: "relax.func"() <{sym_name = "f", function_type = !relax.func<[n] (!relax.tensor<[n], f32>, !relax.tensor<[], i1>) -> !relax.tensor<[n], f32>>}> ({{{$}}
// GENERIC-NEXT: ^bb0(%x: !relax.tensor<[n], f32>, %c: !relax.tensor<[], i1>):{{$}}
// GENERIC-NEXT: %y = "relax.dataflow"() ({{{$}}
// GENERIC-NEXT: %p = "relax.call_pure_packed"(%x) <{func_name = "cube"}> : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>{{$}}
// GENERIC-NEXT: %d = "relax.call_dps_packed"(%p) <{func_name = "fill"}> {my.note = 1 : i64} : (!relax.tensor<[n], f32>) -> !relax.tensor<[2 * n], f32>{{$}}
// GENERIC-NEXT: "relax.output"(%p) : (!relax.tensor<[n], f32>) -> (){{$}}
// GENERIC-NEXT: }) : () -> !relax.tensor<[n], f32>{{$}}
// GENERIC-NEXT: "relax.print"(%x, %y) <{format = "x = {}, y = {}, {{[{][{][}][}]}}"}> : (!relax.tensor<[n], f32>, !relax.tensor<[n], f32>) -> (){{$}}
// GENERIC-NEXT: "relax.print"() : () -> (){{$}}
// GENERIC-NEXT: "relax.assert_op"(%c) : (!relax.tensor<[], i1>) -> (){{$}}
// GENERIC-NEXT: "relax.assert_op"(%c, %x) <{format = "wrong: {}"}> : (!relax.tensor<[], i1>, !relax.tensor<[n], f32>) -> (){{$}}
// GENERIC-NEXT: %z = "relax.call_tir_inplace"(%x, %y) <{callee = @step, inplace_indices = array<i64: 1>}> : (!relax.tensor<[n], f32>, !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>{{$}}
// GENERIC-NEXT: "relax.return"(%z) : (!relax.tensor<[n], f32>) -> (){{$}}
// GENERIC-NEXT: }) : () -> (){{$}}
