// RUN: not relax-opt %s 2>&1 | filecheck %s

// A value that has no name is named as the text numbers it; the line is shown.

relax.func @f(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  %0 = relax.exp %1 : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  %1 = relax.exp %x : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  relax.return %0 : !relax.tensor<[n], f32>
}

// CHECK: value_by_its_number.mlir:6:8: error: @f: relax.exp (%0): expected operands defined before it (V1), found %1, which relax.exp defines further down; move the definition up, or put both into a relax.dataflow block, where order is free{{$}}
// CHECK-NEXT: %0 = relax.exp %1
// CHECK-NEXT: ^
