// RUN: xdsl-opt %s | filecheck %s
// RUN: relax-opt %s | relax-opt | filecheck %s
// RUN: relax-opt %s --print-op-generic | relax-opt | filecheck %s
// RUN: relax-opt %s --print-op-generic | filecheck %s --check-prefix GENERIC

// The example of the first design document: two blocks, the result of one is passed to the other.

relax.func @relax_func(%x: !relax.tensor<[n, k], f32>, %w: !relax.tensor<[k, m], f32>) -> !relax.object {
  %gv0 = relax.dataflow {
    %lv0 = relax.matmul %x, %w : (!relax.tensor<[n, k], f32>, !relax.tensor<[k, m], f32>) -> !relax.tensor<[n, m], f32>
    %lv1 = relax.flatten %lv0 : (!relax.tensor<[n, m], f32>) -> !relax.tensor<[m * n], f32>
    relax.output %lv1 : !relax.tensor<[m * n], f32>
  }
  %gv1 = relax.binding_block {
    %u = relax.call_packed "custom_inplace_update"(%gv0) : (!relax.tensor<[m * n], f32>) -> !relax.object
    relax.output %u : !relax.object
  }
  relax.return %gv1 : !relax.object
}

// CHECK: relax.func @relax_func(%x: !relax.tensor<[n, k], f32>, %w: !relax.tensor<[k, m], f32>) -> !relax.object {{{$}}
// CHECK-NEXT: %gv0 = relax.dataflow {{{$}}
// CHECK-NEXT: %lv0 = relax.matmul %x, %w : (!relax.tensor<[n, k], f32>, !relax.tensor<[k, m], f32>) -> !relax.tensor<[n, m], f32>{{$}}
// CHECK-NEXT: %lv1 = relax.flatten %lv0 : (!relax.tensor<[n, m], f32>) -> !relax.tensor<[m * n], f32>{{$}}
// CHECK-NEXT: relax.output %lv1 : !relax.tensor<[m * n], f32>{{$}}
// CHECK-NEXT: }{{$}}
// CHECK-NEXT: %gv1 = relax.binding_block {{{$}}
// CHECK-NEXT: %u = relax.call_packed "custom_inplace_update"(%gv0) : (!relax.tensor<[m * n], f32>) -> !relax.object{{$}}
// CHECK-NEXT: relax.output %u : !relax.object{{$}}
// CHECK-NEXT: }{{$}}
// CHECK-NEXT: relax.return %gv1 : !relax.object{{$}}
// CHECK-NEXT: }{{$}}

// GENERIC: "relax.func"() <{sym_name = "relax_func", function_type = !relax.func<[n, k, m] (!relax.tensor<[n, k], f32>, !relax.tensor<[k, m], f32>) -> !relax.object>}> ({{{$}}
// GENERIC-NEXT: ^bb0(%x: !relax.tensor<[n, k], f32>, %w: !relax.tensor<[k, m], f32>):{{$}}
// GENERIC-NEXT: %gv0 = "relax.dataflow"() ({{{$}}
// GENERIC-NEXT: %lv0 = "relax.matmul"(%x, %w) : (!relax.tensor<[n, k], f32>, !relax.tensor<[k, m], f32>) -> !relax.tensor<[n, m], f32>{{$}}
// GENERIC-NEXT: %lv1 = "relax.flatten"(%lv0) : (!relax.tensor<[n, m], f32>) -> !relax.tensor<[m * n], f32>{{$}}
// GENERIC-NEXT: "relax.output"(%lv1) : (!relax.tensor<[m * n], f32>) -> (){{$}}
// GENERIC-NEXT: }) : () -> !relax.tensor<[m * n], f32>{{$}}
// GENERIC-NEXT: %gv1 = "relax.binding_block"() ({{{$}}
// GENERIC-NEXT: %u = "relax.call_packed"(%gv0) <{func_name = "custom_inplace_update"}> : (!relax.tensor<[m * n], f32>) -> !relax.object{{$}}
// GENERIC-NEXT: "relax.output"(%u) : (!relax.object) -> (){{$}}
// GENERIC-NEXT: }) : () -> !relax.object{{$}}
// GENERIC-NEXT: "relax.return"(%gv1) : (!relax.object) -> (){{$}}
// GENERIC-NEXT: }) : () -> (){{$}}
