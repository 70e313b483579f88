// RUN: not relax-opt %s 2>&1 | filecheck %s

// Each result has a parameter that it is written over, or none.

relax.func @f(%x: !relax.tensor<[n], f32>, %y: !relax.tensor<[n], f32>) -> tuple<!relax.tensor<[n], f32>, !relax.tensor<[n], f32>> attributes {inplace_indices = array<i64: 1>} {
  %0 = relax.tuple %y, %x : (!relax.tensor<[n], f32>, !relax.tensor<[n], f32>) -> tuple<!relax.tensor<[n], f32>, !relax.tensor<[n], f32>>
  relax.return %0 : tuple<!relax.tensor<[n], f32>, !relax.tensor<[n], f32>>
}

// CHECK: func_C4_count.mlir:5:1: error: relax.func @f: expected inplace_indices to have a parameter's number or -1 for each of 2 results, none twice (C4), found [1]; parameters are counted from 0 to 1{{$}}
