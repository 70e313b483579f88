// RUN: not relax-opt %s 2>&1 | filecheck %s

// An op takes as many operands as it has.

relax.func @f(%x: !relax.tensor<[n, 4], f32>) -> !relax.object {
  %y = relax.add %x : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4], f32>
  relax.return %x : !relax.tensor<[n, 4], f32>
}

// CHECK: operand_count.mlir:6:8: error: @f: relax.add (%y): expected operands: 2, found 1; write as many as the op takes{{$}}
