// RUN: not relax-opt %s 2>&1 | filecheck %s

// The arguments given fit the first parameters in size.

relax.func private @g(%x: !relax.tensor<[k, k], f32>) -> !relax.tensor<[k, k], f32> {
  relax.return %x : !relax.tensor<[k, k], f32>
}
relax.func @f(%x: !relax.tensor<[2, 3], f32>) -> !relax.object {
  %h = relax.make_closure @g(%x) : (!relax.tensor<[2, 3], f32>) -> !relax.func<() -> !relax.tensor<[2, 2], f32>>
  relax.return %x : !relax.tensor<[2, 3], f32>
}

// CHECK: make_closure_C1_sizes.mlir:9:8: error: @f: relax.make_closure @g: expected arguments of sizes [k, k] (C1), found [2, 3]: dimension 1: expected 'k' = '2', found '3'; pass arguments whose sizes agree{{$}}
