// RUN: not relax-opt %s 2>&1 | filecheck %s

// An argument is written once.

relax.func @f(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  %a, %b = relax.call_inplace_packed "f"(%x) {inplace_indices = array<i64: 0, 0>} : (!relax.tensor<[n], f32>) -> (!relax.tensor<[n], f32>, !relax.tensor<[n], f32>)
  relax.return %x : !relax.tensor<[n], f32>
}

// CHECK: call_inplace_packed_C1.mlir:6:12: error: @f: relax.call_inplace_packed (%a, %b): expected one argument's number for each of 2 results, none twice, or -1 for a new result (C1), found [0, 0]; arguments are counted from 0 to 0{{$}}
