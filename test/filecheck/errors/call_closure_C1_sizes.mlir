// RUN: not relax-opt %s 2>&1 | filecheck %s

// A closure's arguments fit its parameters.

relax.func @f(%g: !relax.func<[k] (!relax.tensor<[k, k], f32>) -> !relax.tensor<[], f32>>, %x: !relax.tensor<[3, 4], f32>) -> !relax.object {
  %r = relax.call_closure %g, %x : (!relax.func<[k] (!relax.tensor<[k, k], f32>) -> !relax.tensor<[], f32>>, !relax.tensor<[3, 4], f32>) -> !relax.tensor<[], f32>
  relax.return %r : !relax.tensor<[], f32>
}

// CHECK: call_closure_C1_sizes.mlir:6:8: error: @f: relax.call_closure (%r): expected arguments of sizes [k, k] (C1), found [3, 4]: dimension 1: expected 'k' = '3', found '4'; pass arguments whose sizes agree{{$}}
